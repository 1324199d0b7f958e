import { signal } from '@preact/signals'

/** The content of the window: the chat, or one of the screens on top of it. */
export type Route =
  | { screen: 'chat' }
  | { screen: 'server-settings'; serverId: string; tab?: string; roleId?: string | undefined }
  | { screen: 'developer'; botId?: string; tab?: string }
  | { screen: 'profile' }
  | { screen: 'missing'; what: Missing; url: string }
/** The kind of thing that a URL names, and that does not exist or that the person may not see. */
export type Missing = 'server' | 'channel' | 'conversation' | 'message' | 'page'
export type ScreenName = Exclude<Route['screen'], 'chat'>

export const route = signal<Route>({ screen: 'chat' })
/** The inspector is a panel beside the chat; it stays open when the channel changes. */
export const inspectorShown = signal(false)

/** The title of the screen on top of the chat, for the window. */
export const screenTitle = signal<string | undefined>(undefined)

/** The message that the URL names. */
export const linkedMessage = signal<{ channel_id: string; id: string } | undefined>(undefined)

export const goTo = (to: Route): void => {
  route.value = to
}
/** Returns to the chat; Esc does the same. */
export const closeScreen = (): void => goTo({ screen: 'chat' })
