/** Signing in beside the page, so that nothing that was typed is lost. */
const WINDOW = "popup,width=480,height=640";

export function openSignIn(): void {
  window.open("/oauth2/start?rd=/signed-in", "windlass-sign-in", WINDOW);
}
