import type { Channel } from '@botwright/protocol'
import { useState } from 'preact/hooks'
import { attempt, openChannel, openServer } from './actions.ts'
import { AddServer } from './add-server.tsx'
import { api } from './api.ts'
import { Avatar, BotTag } from './avatar.tsx'
import { Icon } from './icons.tsx'
import { memberName, nameOf } from './names.ts'
import { signOut } from './session.ts'
import { dms, person, place, servers, unread, view, views, voice } from './store.ts'

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => Array.from(word)[0]?.toUpperCase() ?? '')
    .join('')

/** The servers of the person, one square each. */
function ServerRail() {
  const [adding, setAdding] = useState(false)
  return (
    <nav class="rail" aria-label="Servers">
      {servers.value.map((server) => {
        const news = Object.values(unread.value).some((each) => each.serverId === server.id)
        const current = place.value.serverId === server.id
        return (
          <button
            key={server.id}
            type="button"
            class={current ? 'rail-server is-current' : 'rail-server'}
            aria-label={news ? `${server.name}, unread messages` : server.name}
            aria-current={current}
            title={server.name}
            onClick={() => void attempt(() => openServer(server.id))}
          >
            {initials(server.name)}
            {news && !current && <span class="dot" />}
          </button>
        )
      })}
      <button
        type="button"
        class="rail-server rail-add"
        aria-label="Add a server"
        title="Add a server"
        onClick={() => setAdding(true)}
      >
        <Icon name="plus" size={18} />
      </button>
      {adding && <AddServer onClose={() => setAdding(false)} />}
    </nav>
  )
}

function Count({ id }: { id: string }) {
  const count = unread.value[id]?.count
  if (count === undefined) return null
  return (
    <span class="count" aria-label={`${count} unread`}>
      {count > 99 ? '99+' : count}
    </span>
  )
}

function VoiceChannel({ channel }: { channel: Channel }) {
  const inside = voice.value[channel.id] ?? []
  const joined = inside.includes(person.value?.id ?? '')
  return (
    <li>
      <button
        type="button"
        class={joined ? 'channel is-current' : 'channel'}
        aria-pressed={joined}
        title={joined ? 'Leave voice' : 'Join voice'}
        onClick={() => void attempt(() => api.voice(channel.id, !joined))}
      >
        <Icon name="voice" />
        <span class="channel-name">{channel.name}</span>
        <span class="channel-hint">{joined ? 'Leave' : 'Join'}</span>
      </button>
      {inside.map((id) => (
        <div key={id} class="voice-person">
          <Avatar id={id} name={nameOf(id)} size="small" />
          {nameOf(id)}
        </div>
      ))}
    </li>
  )
}

function TextChannel({ channel }: { channel: Channel }) {
  const current = place.value.channelId === channel.id
  const news = unread.value[channel.id] !== undefined
  return (
    <li>
      <button
        type="button"
        class={`channel ${current ? 'is-current' : ''} ${news ? 'is-unread' : ''}`}
        aria-current={current ? 'page' : undefined}
        onClick={() => void attempt(() => openChannel(channel.server_id, channel.id))}
      >
        <Icon name={channel.private ? 'lock' : 'hash'} />
        <span class="channel-name">{channel.name}</span>
        <Count id={channel.id} />
      </button>
    </li>
  )
}

/** Channels under their categories; those without one come first. The service lists both in sidebar order. */
function Channels() {
  const shown = view.value
  if (!shown) return null
  const groups = [{ id: null, name: '' }, ...shown.categories]
  return (
    <>
      {groups.map((group) => {
        const inside = shown.channels.filter((each) => each.category_id === group.id)
        if (inside.length === 0) return null
        return (
          <section key={group.id} class="group" aria-label={group.name || 'Channels'}>
            {group.name !== '' && <h3>{group.name}</h3>}
            <ul>
              {inside.map((each) =>
                each.type === 'voice' ? (
                  <VoiceChannel key={each.id} channel={each} />
                ) : (
                  <TextChannel key={each.id} channel={each} />
                ),
              )}
            </ul>
          </section>
        )
      })}
    </>
  )
}

function DirectMessages() {
  if (dms.value.length === 0) return null
  return (
    <section class="group" aria-label="Direct messages">
      <h3>Direct messages</h3>
      <ul>
        {dms.value.map(({ channel_id, user }) => {
          const current = place.value.channelId === channel_id
          const presence = Object.values(views.value)
            .flatMap((each) => each.members)
            .find((each) => each.user_id === user.id)?.presence
          return (
            <li key={channel_id}>
              <button
                type="button"
                class={`channel ${current ? 'is-current' : ''} ${unread.value[channel_id] ? 'is-unread' : ''}`}
                aria-current={current ? 'page' : undefined}
                onClick={() => void attempt(() => openChannel(undefined, channel_id))}
              >
                <Avatar
                  id={user.id}
                  name={memberName(user)}
                  url={user.avatar_url}
                  size="small"
                  {...(presence && { presence })}
                />
                <span class="channel-name">{memberName(user)}</span>
                {user.bot && <BotTag />}
                <Count id={channel_id} />
              </button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Self() {
  const self = person.value
  if (!self) return null
  const name = memberName(self)
  return (
    <footer class="self">
      <Avatar id={self.id} name={name} url={self.avatar_url} presence={{ status: 'online', activity: null }} />
      <span class="self-name">{name}</span>
      <button type="button" class="action" aria-label="Sign out" title="Sign out" onClick={signOut}>
        <Icon name="leave" />
      </button>
    </footer>
  )
}

export function Sidebar() {
  return (
    <aside class="sidebar" id="sidebar" aria-label="Servers and channels">
      <ServerRail />
      <div class="sidebar-main">
        <header class="bar">
          <h1>{view.value?.server.name ?? 'Botwright chat'}</h1>
        </header>
        <div class="sidebar-scroll">
          <Channels />
          <DirectMessages />
        </div>
        <Self />
      </div>
    </aside>
  )
}
