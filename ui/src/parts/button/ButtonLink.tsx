import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";
import { Icon, type IconName } from "../Icon";
import { Button, buttonClass, type ButtonLook } from "./Button";

interface Look {
  look?: ButtonLook;
  icon?: IconName;
  small?: boolean;
}

interface AnchorProps extends Look, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "children"> {
  children?: string;
  ref?: Ref<HTMLAnchorElement>;
  /** The right that is missing for what the page is for: instead of the link there is a disabled button that says so. */
  missing?: string | undefined;
}

function Anchor({ look = "secondary", icon, small, missing, children = "", ref, ...rest }: AnchorProps) {
  if (missing !== undefined) return <Button label={children} look={look} {...(icon ? { icon } : {})} small={small ?? false} missing={missing} />;
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
