import type { Ban, Channel, Permission, Role, Server } from '@botwright/protocol'
import type { ListedBot, OwnedBot, Person } from '../../people.ts'
import { call } from '../api.ts'

export interface RoleChanges {
  name?: string
  permissions?: Permission[]
  color?: string | null
  position?: number
}
export interface ChannelChanges {
  name?: string
  category_id?: string | null
  private?: boolean
  role_ids?: string[]
  read_only?: boolean
  post_role_ids?: string[]
  slowmode?: number
}
export interface ServerSettings {
  flags: { bot_voice: boolean; channel_webhooks: boolean }
  access: { channel_id: string; role_ids: string[]; post_role_ids: string[] }[]
}
export interface Webhook {
  id: string
  name: string
  channel_id: string
}

const at = (serverId: string) => `/servers/${serverId}`

/** The calls of the server settings and the profile. */
export const settingsApi = {
  get: (serverId: string) => call<ServerSettings>('GET', `${at(serverId)}/settings`),
  rename: (serverId: string, name: string) => call<{ server: Server }>('PATCH', at(serverId), { name }),
  leave: (serverId: string) => call('DELETE', `${at(serverId)}/members/me`),

  createRole: (serverId: string, role: RoleChanges) => call<{ role: Role }>('POST', `${at(serverId)}/roles`, role),
  updateRole: (serverId: string, roleId: string, role: RoleChanges) =>
    call<{ role: Role }>('PATCH', `${at(serverId)}/roles/${roleId}`, role),
  deleteRole: (serverId: string, roleId: string) => call('DELETE', `${at(serverId)}/roles/${roleId}`),
  giveRole: (serverId: string, userId: string, roleId: string, on: boolean) =>
    call(on ? 'PUT' : 'DELETE', `${at(serverId)}/members/${userId}/roles/${roleId}`),

  nickname: (serverId: string, userId: string, nickname: string | null) =>
    call('PATCH', `${at(serverId)}/members/${userId}`, { nickname }),
  kick: (serverId: string, userId: string) => call('POST', `${at(serverId)}/kick`, { user_id: userId }),
  ban: (serverId: string, userId: string, reason: string) =>
    call('POST', `${at(serverId)}/bans`, { user_id: userId, ...(reason !== '' && { reason }) }),
  bans: (serverId: string) => call<{ bans: Ban[] }>('GET', `${at(serverId)}/bans`),
  unban: (serverId: string, userId: string) => call('DELETE', `${at(serverId)}/bans/${userId}`),
  timeOut: (serverId: string, userId: string, minutes: number, reason: string) =>
    call('POST', `${at(serverId)}/timeouts`, { user_id: userId, minutes, ...(reason !== '' && { reason }) }),

  createChannel: (serverId: string, body: { name: string; kind: string; category_id: string | null }) =>
    call<{ channel: Channel }>('POST', `${at(serverId)}/channels`, body),
  updateChannel: (channelId: string, changes: ChannelChanges) =>
    call<{ channel: Channel }>('PATCH', `/channels/${channelId}`, changes),
  deleteChannel: (channelId: string) => call('DELETE', `/channels/${channelId}`),
  createCategory: (serverId: string, name: string) => call('POST', `${at(serverId)}/categories`, { name }),
  renameCategory: (serverId: string, id: string, name: string) =>
    call('PATCH', `${at(serverId)}/categories/${id}`, { name }),
  deleteCategory: (serverId: string, id: string) => call('DELETE', `${at(serverId)}/categories/${id}`),
  order: (serverId: string, order: { channel_ids?: string[]; category_ids?: string[] }) =>
    call('PUT', `${at(serverId)}/order`, order),

  listedBots: () => call<{ bots: ListedBot[] }>('GET', '/bots/listed'),
  ownBots: () => call<{ bots: OwnedBot[] }>('GET', '/bots'),
  addBot: (serverId: string, botId: string) => call('PUT', `${at(serverId)}/bots/${botId}`),
  removeBot: (serverId: string, botId: string) => call('DELETE', `${at(serverId)}/bots/${botId}`),

  webhooks: (channelId: string) => call<{ webhooks: Webhook[] }>('GET', `/channels/${channelId}/webhooks`),
  createWebhook: (channelId: string, name: string) =>
    call<{ webhook: Webhook; url: string }>('POST', `/channels/${channelId}/webhooks`, { name }),
  newWebhookUrl: (id: string) => call<{ url: string }>('POST', `/webhooks/${id}/url`),
  deleteWebhook: (id: string) => call('DELETE', `/webhooks/${id}`),

  setAvatar: (file: File) => call('PUT', '/me/avatar', file),
  removeAvatar: () => call('DELETE', '/me/avatar'),
  me: () => call<{ person: Person }>('GET', '/me'),
  profile: (changes: { display_name?: string | null; bio?: string; accepts_dms?: boolean }) =>
    call<{ person: Person }>('PATCH', '/me', changes),
}
