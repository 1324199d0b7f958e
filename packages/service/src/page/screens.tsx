import type { ComponentType } from 'preact'
import { Developer } from './developer/developer.tsx'
import { Inspector } from './inspector/inspector.tsx'
import type { ScreenName } from './route.ts'
import { Profile } from './settings/profile.tsx'
import { ServerSettings } from './settings/server-settings.tsx'

/** The screens over the chat by their name in `route.ts`; each reads `route` for what it shows and ends with `closeScreen()`. */
export const screens: Partial<Record<ScreenName, ComponentType>> = {
  'server-settings': ServerSettings,
  developer: Developer,
  profile: Profile,
}

/** The panels that can stand at the right of the chat in place of the members. */
export const panels: { inspector?: ComponentType } = { inspector: Inspector }
