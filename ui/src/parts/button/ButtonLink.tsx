import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";
import { Icon, type IconName } from "../Icon";
import { buttonClass, type ButtonLook } from "./Button";

interface Look {
  look?: ButtonLook;
  icon?: IconName;
  small?: boolean;
}

type AnchorProps = Look & AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> };

function Anchor({ look = "secondary", icon, small, children, ref, ...rest }: AnchorProps) {
  return (
    <a ref={ref} {...rest} className={buttonClass(look, small)}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}

/** A page of the dashboard, as a button. */
export const ButtonLink = createLink(Anchor);

/** Another program, such as a notebook, in a new tab. */
export function ExternalButton({ href, label, look = "primary", icon = "external", small }: Look & { href: string; label: string }) {
  return (
    <Anchor href={href} target="_blank" rel="noopener" look={look} icon={icon} {...(small ? { small } : {})}>
      {label}
    </Anchor>
  );
}
