import type { Channel } from '@botwright/protocol'
import { signal } from '@preact/signals'
import { openChannel } from '../../state/actions.ts'
import { attempt } from '../../state/toasts.ts'
import { UnreadCount } from './unread-count.tsx'
import { channelIcon, Icon } from '../../components/icons.tsx'
import { place, unread, view } from '../../state/store.ts'
import { VoiceChannel } from './voice.tsx'

/** The collapsed categories, which show only unread and open channels. Shared by all windows of this browser. */
const key = 'botwright-folded'
const saved = () => JSON.parse(localStorage.getItem(key) ?? '[]') as string[]
const folded = signal<readonly string[]>(saved())
function toggle(id: string): void {
  // Another window may have folded others meanwhile.
  const others = saved().filter((each) => each !== id)
  folded.value = folded.value.includes(id) ? others : [...others, id]
  localStorage.setItem(key, JSON.stringify(folded.value))
}

function TextChannel({ channel }: { channel: Channel }) {
  const current = place.value.channelId === channel.id
  const news = unread.value[channel.id] !== undefined
  return (
    <li>
      <button
        type="button"
        class={`channel ${current ? 'is-current' : ''} ${news ? 'is-unread' : ''}`}
        title={channel.name}
        aria-current={current ? 'page' : undefined}
        data-channel={channel.id}
        onClick={() => void attempt(() => openChannel(channel.server_id, channel.id))}
      >
        <Icon name={channelIcon(channel)} />
        <span class="channel-name" dir="auto">
          {channel.name}
        </span>
        {channel.private && <span class="visually-hidden">private</span>}
        {channel.read_only && <span class="visually-hidden">read-only</span>}
        <UnreadCount id={channel.id} />
      </button>
    </li>
  )
}

function Group({ id, name, channels }: { id: string | null; name: string; channels: Channel[] }) {
  const closed = id !== null && folded.value.includes(id)
  const stays = (each: Channel) => each.id === place.value.channelId || unread.value[each.id] !== undefined
  const shown = closed ? channels.filter(stays) : channels
  return (
    <section class="group" aria-label={name || 'Channels'}>
      {id !== null && (
        <h2>
          <button
            type="button"
            class={closed ? 'group-title is-closed' : 'group-title'}
            aria-expanded={!closed}
            onClick={() => toggle(id)}
          >
            <Icon name="chevron" size={12} />
            <span class="group-name" dir="auto">
              {name}
            </span>
          </button>
        </h2>
      )}
      <ul>
        {shown.map((each) =>
          each.type === 'voice' ? (
            <VoiceChannel key={each.id} channel={each} />
          ) : (
            <TextChannel key={each.id} channel={each} />
          ),
        )}
      </ul>
    </section>
  )
}

/** Channels by category; those without a category come first. The service lists both in sidebar order. */
export function ChannelGroups() {
  const shown = view.value
  if (!shown) return null
  const groups = [{ id: null, name: '' }, ...shown.categories]
  return (
    <>
      {groups.map((group) => {
        const inside = shown.channels.filter((each) => each.category_id === group.id)
        return inside.length > 0 && <Group key={group.id} id={group.id} name={group.name} channels={inside} />
      })}
      {shown.channels.length === 0 && <p class="sidebar-empty">You cannot see any channels here yet.</p>}
    </>
  )
}
