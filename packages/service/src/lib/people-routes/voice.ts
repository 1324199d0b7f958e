import { type Handlers, ok } from '../http/handlers.ts'
import type { PeopleEndpoints } from '../people-api/endpoints/index.ts'
import { requireNoTimeout } from '../store/posting.ts'
import { Refusal } from '../refusal.ts'
import { joinVoice, leaveVoice, voiceChannelOf } from '../store/voice.ts'

/** Handlers for joining and leaving voice channels; joining one leaves the other. */
export const voice: Handlers<PeopleEndpoints>['voice'] = {
  join({ chat, actor, channel }) {
    if (channel.type !== 'voice') throw new Refusal(400, 'channel_id: is not a voice channel')
    requireNoTimeout(chat, channel, actor.id)
    joinVoice(chat, channel, actor.id)
    return ok
  },
  leave({ chat, actor, channel }) {
    if (voiceChannelOf(chat, actor.id)?.id === channel.id) leaveVoice(chat, actor.id)
    return ok
  },
}
