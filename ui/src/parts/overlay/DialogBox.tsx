import type { ReactNode } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import styles from "./overlay.module.css";

interface DialogBoxProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  wide?: boolean;
  actions?: ReactNode;
  children: ReactNode;
}

/** A modal dialog; Escape and a press beside it close it. */
export function DialogBox({ title, isOpen, onClose, wide, actions, children }: DialogBoxProps) {
  return (
    <ModalOverlay className={styles.backdrop ?? ""} isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal className={[styles.modal, wide && styles.wide].filter(Boolean).join(" ")}>
        <Dialog className={styles.dialog ?? ""}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
          {actions !== undefined && <div className={styles.dialogActions}>{actions}</div>}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
