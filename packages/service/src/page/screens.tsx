import type { ComponentType } from 'preact'
import { Developer } from './developer/developer.tsx'
import { Inspector } from './inspector/inspector.tsx'
import type { ScreenName } from './state/route.ts'
import { Profile } from './settings/profile.tsx'
import { ServerSettings } from './settings/server-settings.tsx'

/** The screens by their name in `route.ts`; each reads `route` and closes with `closeScreen()`. */
export const screens: Partial<Record<ScreenName, ComponentType>> = {
  'server-settings': ServerSettings,
  developer: Developer,
  profile: Profile,
}

/** The panels that can replace the member list on the right. */
export const panels: { inspector?: ComponentType } = { inspector: Inspector }
