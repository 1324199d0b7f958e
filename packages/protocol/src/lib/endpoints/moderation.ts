import * as z from 'zod'
import { endpoint } from '../endpoint.ts'
import { DisplayName, Id, Reason, received, Time } from '../schemas/fields.ts'
import { limits } from '../limits.ts'
import { Ban, Ok, VoiceState } from '../schemas/resources.ts'

const spec = '4/Moderation'
const voiceSpec = '4/Voice'
const rolePath = '/servers/{server_id}/members/{user_id}/roles/{role_id}'

export const moderation = {
  setNickname: endpoint({
    method: 'PATCH',
    path: '/servers/{server_id}/members/{user_id}',
    spec,
    summary: 'Set or clear a nickname',
    body: z.object({ nickname: DisplayName.nullable() }),
    response: Ok,
    permission: 'manage_nicknames',
  }),
  addRole: endpoint({
    method: 'PUT',
    path: rolePath,
    spec,
    summary: 'Add a role to a member',
    response: Ok,
    permission: 'manage_roles',
  }),
  removeRole: endpoint({
    method: 'DELETE',
    path: rolePath,
    spec,
    summary: 'Remove a role from a member',
    response: Ok,
    permission: 'manage_roles',
  }),
  kick: endpoint({
    method: 'POST',
    path: '/servers/{server_id}/kick',
    spec,
    summary: 'Kick a member',
    body: z.object({ user_id: Id }),
    response: Ok,
    permission: 'kick_members',
  }),
  bans: endpoint({
    method: 'GET',
    path: '/servers/{server_id}/bans',
    spec,
    summary: 'List the bans of a server',
    response: received({ bans: z.array(Ban) }),
    permission: 'ban_members',
  }),
  ban: endpoint({
    method: 'POST',
    path: '/servers/{server_id}/bans',
    spec,
    summary: 'Ban a person',
    body: z.object({ user_id: Id, reason: Reason.nullable().optional() }),
    response: Ok,
    permission: 'ban_members',
  }),
  unban: endpoint({
    method: 'DELETE',
    path: '/servers/{server_id}/bans/{user_id}',
    spec,
    summary: 'Lift a ban',
    response: Ok,
    permission: 'ban_members',
  }),
  timeout: endpoint({
    method: 'POST',
    path: '/servers/{server_id}/timeouts',
    spec,
    summary: 'Time out a member; 0 minutes ends the timeout',
    body: z.object({
      user_id: Id,
      minutes: z
        .int()
        .min(0)
        .max(limits.timeout.minutes, { error: `must be at most ${limits.timeout.minutes} minutes` }),
      reason: Reason.nullable().optional(),
    }),
    response: Ok.extend({ timeout_until: Time.nullable() }),
    permission: 'timeout_members',
  }),
} as const

export const voice = {
  list: endpoint({
    method: 'GET',
    path: '/servers/{server_id}/voice',
    spec: voiceSpec,
    summary: 'List the people in the voice channels that the bot can see',
    response: received({ voice: z.array(VoiceState) }),
    limits: ['voice_lookups'],
    flag: 'bot_voice',
  }),
  move: endpoint({
    method: 'POST',
    path: '/servers/{server_id}/voice/move',
    spec: voiceSpec,
    summary: 'Move a person to another voice channel',
    body: z.object({ user_id: Id, channel_id: Id }),
    response: Ok,
    permission: 'move_members',
    limits: ['voice_moves'],
    flag: 'bot_voice',
  }),
  disconnect: endpoint({
    method: 'POST',
    path: '/servers/{server_id}/voice/disconnect',
    spec: voiceSpec,
    summary: 'Disconnect a person from voice',
    body: z.object({ user_id: Id }),
    response: Ok,
    permission: 'move_members',
    limits: ['voice_moves'],
    flag: 'bot_voice',
  }),
} as const
