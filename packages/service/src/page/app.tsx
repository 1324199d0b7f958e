import { useEffect } from 'preact/hooks'
import { Composer } from './composer.tsx'
import { Icon } from './icons.tsx'
import { Members } from './members.tsx'
import { MessageList } from './message-list.tsx'
import { memberName } from './names.ts'
import { closeScreen, inspectorShown, route } from './route.ts'
import { panels, screens } from './screens.tsx'
import { Sidebar } from './sidebar.tsx'
import { SignIn } from './sign-in.tsx'
import {
  channel,
  dismissToast,
  dm,
  drawer,
  membersShown,
  online,
  person,
  place,
  servers,
  starting,
  toasts,
  unread,
} from './store.ts'

function Toasts() {
  return (
    <div class="toasts" role="alert">
      {toasts.value.map(({ id, text }) => (
        <div key={id} class="toast">
          <span>{text}</span>
          <button type="button" class="action" aria-label="Dismiss" onClick={() => dismissToast(id)}>
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </div>
  )
}

const narrow = (): boolean => matchMedia('(max-width: 860px)').matches
const toggleMembers = (): void => {
  if (narrow()) drawer.value = drawer.value === 'members' ? undefined : 'members'
  else membersShown.value = !membersShown.value
}

function Header({ title }: { title: string }) {
  const here = channel.value
  const notes = [here?.read_only === true && 'read-only', (here?.slowmode ?? 0) > 0 && `slowmode ${here?.slowmode} s`]
  return (
    <header class="bar">
      <button
        type="button"
        class="action only-narrow"
        aria-label="Servers and channels"
        aria-expanded={drawer.value === 'channels'}
        onClick={() => (drawer.value = 'channels')}
      >
        <Icon name="menu" size={18} />
      </button>
      {here && <Icon name={here.private ? 'lock' : 'hash'} size={17} />}
      <h2>{title}</h2>
      {notes.map((note) => note !== false && <span class="note">{note}</span>)}
      <span class="grow" />
      {!online.value && (
        <span class="offline-note" role="status">
          Connecting again…
        </span>
      )}
      {here && (
        <button
          type="button"
          class="action"
          aria-label="Members"
          aria-pressed={membersShown.value}
          onClick={toggleMembers}
        >
          <Icon name="members" size={18} />
        </button>
      )}
    </header>
  )
}

function Nowhere() {
  return (
    <div class="nowhere">
      <h2>{servers.value.length === 0 ? 'You are in no server yet' : 'Choose a channel'}</h2>
      <p>
        {servers.value.length === 0
          ? 'Press the plus on the left to join a server or make one.'
          : 'The channels of this server are on the left.'}
      </p>
    </div>
  )
}

function Room() {
  const open = place.value.channelId !== undefined
  const title = channel.value?.name ?? (dm.value ? memberName(dm.value.user) : 'Botwright chat')
  const label = channel.value ? `Message #${title}` : `Message ${title}`
  return (
    <main class="room">
      <Header title={title} />
      {open ? <MessageList label={`Messages in ${title}`} /> : <Nowhere />}
      {open && <Composer label={label} />}
    </main>
  )
}

export function App() {
  const count = Object.values(unread.value).reduce((sum, each) => sum + each.count, 0)
  const where = channel.value ? `#${channel.value.name}` : dm.value ? memberName(dm.value.user) : 'Botwright chat'
  useEffect(() => {
    document.title = count > 0 ? `(${count}) ${where}` : where
  }, [count, where])
  useEffect(() => {
    const escape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]')) return
      drawer.value = undefined
      closeScreen()
    }
    document.addEventListener('keydown', escape)
    return () => document.removeEventListener('keydown', escape)
  }, [])

  if (!person.value) return starting.value ? null : <SignIn />
  const { screen } = route.value
  const Screen = screen === 'chat' ? undefined : screens[screen]
  if (Screen) {
    return (
      <div class="screen">
        <Screen />
        <Toasts />
      </div>
    )
  }
  const Inspector = inspectorShown.value ? panels.inspector : undefined
  const folded = Inspector === undefined && (!membersShown.value || !channel.value)
  const classes = ['app', folded && 'is-folded', Inspector && 'has-panel', drawer.value && `shows-${drawer.value}`]
  return (
    <div class={classes.filter(Boolean).join(' ')}>
      <Sidebar />
      <Room />
      {Inspector ? (
        <aside class="side-panel" aria-label="Inspector">
          <Inspector />
        </aside>
      ) : (
        channel.value && <Members />
      )}
      {drawer.value && <div class="scrim" onClick={() => (drawer.value = undefined)} />}
      <Toasts />
    </div>
  )
}
