import type { ComponentType } from 'preact'
import type { ScreenName } from './route.ts'

/** The screens over the chat by their name in `route.ts`; each reads `route` for what it shows and ends with `closeScreen()`. */
export const screens: Partial<Record<ScreenName, ComponentType>> = {}

/** The panels that can stand at the right of the chat in place of the members. */
export const panels: { inspector?: ComponentType } = {}
