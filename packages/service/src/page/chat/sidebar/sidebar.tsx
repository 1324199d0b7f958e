import { useEffect, useRef } from 'preact/hooks'
import { Avatar, BotTag } from '../../components/avatar.tsx'
import { openChannel, openServer } from '../../state/actions.ts'
import { attempt } from '../../state/toasts.ts'
import { ChannelGroups } from './channel-groups.tsx'
import { Icon } from '../../components/icons.tsx'
import { memberName, sortedDms } from '../../state/names.ts'
import { SignedInPerson } from './person-menu.tsx'
import { ServerMenu } from './server-menu.tsx'
import { dms, drawer, overlay, place, presences, servers, unread, view } from '../../state/store.ts'
import { UnreadCount } from './unread-count.tsx'
import { UnreadEdges } from './unread-edges.tsx'
import { VoiceBar } from './voice.tsx'

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => Array.from(word)[0]?.toUpperCase() ?? '')
    .join('')

/** The person's servers, one button each. */
function ServerRail() {
  return (
    <nav class="rail" aria-label="Servers">
      {servers.value.map((server) => {
        const marks = Object.values(unread.value).filter((each) => each.serverId === server.id)
        const mentions = marks.reduce((sum, each) => sum + each.mentions, 0)
        const current = place.value.serverId === server.id
        const news = marks.length > 0 && !current
        return (
          <button
            key={server.id}
            type="button"
            class={`rail-server ${current ? 'is-current' : ''} ${news ? 'is-unread' : ''}`}
            aria-label={marks.length > 0 ? `${server.name}, unread messages` : server.name}
            aria-current={current}
            title={server.name}
            data-letters={initials(server.name)}
            onClick={() => void attempt(() => openServer(server.id))}
          >
            {mentions > 0 && <span class="rail-count">{mentions > 99 ? '99+' : mentions}</span>}
          </button>
        )
      })}
      <button
        type="button"
        class="rail-server rail-add"
        aria-label="Add a server"
        title="Add a server"
        onClick={() => (overlay.value = { kind: 'add-server' })}
      >
        <Icon name="plus" size={18} />
      </button>
    </nav>
  )
}

function DirectMessages() {
  const sorted = sortedDms.value
  return (
    <section class="group" aria-label="Direct messages">
      <h2>Direct messages {sorted.length > 1 && <span class="group-count">{sorted.length}</span>}</h2>
      <ul>
        {sorted.map(({ channel_id, user }) => {
          const current = place.value.channelId === channel_id
          const presence = presences.value[user.id]
          return (
            <li key={channel_id}>
              <button
                type="button"
                class={`channel ${current ? 'is-current' : ''} ${unread.value[channel_id] ? 'is-unread' : ''}`}
                aria-current={current ? 'page' : undefined}
                data-channel={channel_id}
                onClick={() => void attempt(() => openChannel(undefined, channel_id))}
              >
                <Avatar
                  id={user.id}
                  name={memberName(user)}
                  url={user.avatar_url}
                  size="small"
                  {...(presence && { presence })}
                />
                <span class="channel-name" dir="auto">
                  {memberName(user)}
                </span>
                {user.bot && <BotTag />}
                <UnreadCount id={channel_id} />
              </button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

export function Sidebar() {
  const ref = useRef<HTMLElement>(null)
  // The open channel may be far down, after a link, the Go to dialog or the arrow keys.
  useEffect(() => {
    ref.current?.querySelector('.channel.is-current')?.scrollIntoView({ block: 'nearest' })
  }, [place.value.channelId, drawer.value === 'channels', view.value !== undefined])
  return (
    <aside class="sidebar" id="sidebar" aria-label="Servers and channels">
      <ServerRail />
      <div class="sidebar-main">
        <ServerMenu />
        <nav class="sidebar-scroll" aria-label="Channels" ref={ref}>
          <UnreadEdges class="sidebar-channels">
            <ChannelGroups />
          </UnreadEdges>
          {dms.value.length > 0 && (
            <UnreadEdges class="sidebar-dms">
              <DirectMessages />
            </UnreadEdges>
          )}
        </nav>
        <VoiceBar />
        <SignedInPerson />
      </div>
    </aside>
  )
}
