import type { Channel } from '@botwright/protocol'
import { api } from '../../state/api.ts'
import { Avatar } from '../../components/avatar.tsx'
import { channelIcon, Icon } from '../../components/icons.tsx'
import { authorOf, channelOf, nameOf } from '../../state/names.ts'
import { person, voice } from '../../state/store.ts'
import { attempt } from '../../state/toasts.ts'

/** A voice channel and its participants; a click joins or leaves. */
export function VoiceChannel({ channel }: { channel: Channel }) {
  const inside = voice.value[channel.id] ?? []
  const joined = inside.includes(person.value?.id ?? '')
  return (
    <li>
      <button
        type="button"
        class={joined ? 'channel is-joined' : 'channel'}
        aria-pressed={joined}
        title={joined ? 'Leave voice' : 'Join voice'}
        onClick={() => void attempt(() => api.voice[joined ? 'leave' : 'join']({ channel_id: channel.id }))}
      >
        <Icon name={channelIcon(channel)} />
        <span class="channel-name" dir="auto">
          {channel.name}
        </span>
        <span class="visually-hidden">voice, {inside.length} connected</span>
        <span class="channel-hint" aria-hidden="true">
          {joined ? 'Leave' : 'Join'}
        </span>
      </button>
      {inside.length > 0 && (
        <ul class="voice-people" aria-label={`In ${channel.name}`}>
          {inside.map((id) => (
            <li key={id} class="voice-person">
              <Avatar id={id} name={nameOf(id)} url={authorOf(id).avatar_url} size="small" />
              <span class="voice-name" dir="auto">
                {nameOf(id)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

/** The current voice channel, with a button to leave it. */
export function VoiceBar() {
  const self = person.value?.id ?? ''
  const [channelId] = Object.entries(voice.value).find(([, inside]) => inside.includes(self)) ?? []
  if (channelId === undefined) return null
  return (
    <div class="voice-bar" role="status">
      <Icon name="voice" size={16} />
      <span class="voice-bar-text">
        <strong>In voice</strong> {channelOf(channelId)?.name}
      </span>
      <button
        type="button"
        class="action"
        aria-label="Leave voice"
        title="Leave voice"
        onClick={() => void attempt(() => api.voice.leave({ channel_id: channelId }))}
      >
        <Icon name="hangup" size={18} />
      </button>
    </div>
  )
}
