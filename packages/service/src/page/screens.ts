// The screens and dialogs on top of the chat that are rarely used: one file, loaded when one of them is first shown.
export { AddServer } from './chat/sidebar/add-server.tsx'
export { Shortcuts } from './chat/shortcuts.tsx'
export { Developer } from './developer/developer.tsx'
export { OwnProfile } from './settings/own-profile.tsx'
export { ServerSettings } from './settings/server-settings.tsx'
