// The screens on top of the chat, which are rarely used: one file, loaded when one of them is first shown.
export { Developer } from './developer/developer.tsx'
export { OwnProfile } from './settings/own-profile.tsx'
export { ServerSettings } from './settings/server-settings.tsx'
