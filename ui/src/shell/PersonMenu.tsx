import { useNavigate } from "@tanstack/react-router";
import { Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover, Separator, type Selection } from "react-aria-components";
import { useSession } from "../api/session";
import { Button } from "../parts/button/Button";
import { Icon } from "../parts/Icon";
import overlay from "../parts/overlay/overlay.module.css";
import { LANGUAGES, useSpeech, type Language } from "../words";
import { useScheme, type Scheme } from "./scheme";

const only = (keys: Selection): unknown => (keys === "all" ? undefined : [...keys][0]);

/** The person, the appearance, the language, and the way out. */
export function PersonMenu() {
  const { words, language, setLanguage } = useSpeech();
  const { data: session } = useSession();
  const [scheme, setScheme] = useScheme();
  const navigate = useNavigate();
  const item = overlay.item ?? "";
  return (
    <MenuTrigger>
      <Button icon="person" iconOnly look="quiet" label={session?.user ?? words.shell.account} />
      <Popover className={overlay.popover ?? ""} placement="bottom end">
        <Menu
          className={overlay.menu ?? ""}
          onAction={(id) => {
            if (id === "account") void navigate({ to: "/account" });
            if (id === "sign-out") location.assign(session?.logoutUrl ?? "/oauth2/sign_out");
          }}
        >
          <MenuItem id="account" className={item} textValue={words.shell.account}>
            <Icon name="person" />
            <span className={overlay.itemText}>
              {words.shell.account} <span className={overlay.itemWhy}>{session?.user}</span>
            </span>
          </MenuItem>
          <Separator className={overlay.separator ?? ""} />
          <MenuSection
            selectionMode="single"
            selectedKeys={[scheme]}
            onSelectionChange={(keys) => setScheme(only(keys) as Scheme)}
            disallowEmptySelection
          >
            <Header className={item}>{words.shell.scheme}</Header>
            {(["system", "light", "dark"] as const).map((one) => (
              <MenuItem key={one} id={one} className={item} textValue={words.shell.schemes[one]}>
                {words.shell.schemes[one]}
              </MenuItem>
            ))}
          </MenuSection>
          <Separator className={overlay.separator ?? ""} />
          <MenuSection
            selectionMode="single"
            selectedKeys={[language]}
            onSelectionChange={(keys) => setLanguage(only(keys) as Language)}
            disallowEmptySelection
          >
            <Header className={item}>{words.shell.language}</Header>
            {Object.entries(LANGUAGES).map(([id, label]) => (
              <MenuItem key={id} id={id} className={item} textValue={label}>
                {label}
              </MenuItem>
            ))}
          </MenuSection>
          <Separator className={overlay.separator ?? ""} />
          <MenuItem id="sign-out" className={item} textValue={words.shell.signOut}>
            {words.shell.signOut}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
