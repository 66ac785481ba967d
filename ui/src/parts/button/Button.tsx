import type { ReactNode } from "react";
import { Button as AriaButton, Tooltip, TooltipTrigger } from "react-aria-components";
import { useWords } from "../../words";
import { Icon, type IconName } from "../Icon";
import tooltip from "../overlay/Tooltip.module.css";
import styles from "./Button.module.css";

export type ButtonLook = "primary" | "secondary" | "quiet" | "danger";

interface ButtonProps {
  /** Shown, or with `iconOnly` only read out and shown as a tooltip. */
  label: string;
  icon?: IconName;
  look?: ButtonLook;
  small?: boolean;
  iconOnly?: boolean;
  /** The right that is missing; the button is disabled and says so. */
  missing?: string | undefined;
  /** Why the button cannot be used now. */
  disabledReason?: string | undefined;
  busy?: boolean;
  type?: "button" | "submit";
  onPress?: () => void;
}

/** A button; one that cannot be used stays reachable by keyboard and says why. */
export function Button({ label, icon, look = "secondary", small, iconOnly, missing, disabledReason, busy, type, onPress }: ButtonProps) {
  const words = useWords();
  const why = missing === undefined ? disabledReason : words.common.forbidden(missing);
  const unusable = why !== undefined;
  const content: ReactNode = (
    <>
      {icon && <Icon name={icon} />}
      {!iconOnly && label}
    </>
  );
  const button = (
    <AriaButton
      className={buttonClass(look, small, iconOnly)}
      type={type ?? "button"}
      aria-label={iconOnly || why ? [label, why].filter(Boolean).join(": ") : undefined}
      aria-disabled={unusable || undefined}
      isPending={busy ?? false}
      onPress={() => {
        if (!unusable) onPress?.();
      }}
      {...(unusable && type === "submit" ? { type: "button" } : {})}
    >
      {content}
    </AriaButton>
  );
  if (!iconOnly && why === undefined) return button;
  return (
    <TooltipTrigger delay={300}>
      {button}
      <Tooltip className={tooltip.tooltip ?? ""} offset={6}>
        {why ?? label}
      </Tooltip>
    </TooltipTrigger>
  );
}

export function buttonClass(look: ButtonLook, small?: boolean, iconOnly?: boolean): string {
  return [styles.button, styles[look], small && styles.small, iconOnly && styles.iconOnly].filter(Boolean).join(" ");
}
