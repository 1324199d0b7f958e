import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Announcer } from './components/announcer.tsx'
import { attach } from './chat/composer/attachment.tsx'
import { Composer } from './chat/composer/composer.tsx'
import { lazy, loadPartsWhenIdle } from './components/lazy.tsx'
import { CodeProblems } from './chat/code-problems.tsx'
import { ConnectionBanner } from './chat/connection-banner.tsx'
import { Header } from './chat/header/header.tsx'
import { onWindowKey } from './chat/keys.ts'
import { Members } from './chat/members.tsx'
import { MissingScreen } from './navigation/missing.tsx'
import { MessageList } from './chat/messages/message-list.tsx'
import { memberName } from './state/names.ts'
import { NoChannel } from './chat/no-channel.tsx'
import { Profile } from './chat/profile.tsx'
import { inspectorShown, route, type ScreenName, screenTitle } from './state/route.ts'
import { addingPerson } from './session/session.ts'
import { Sidebar } from './chat/sidebar/sidebar.tsx'
import { SignIn } from './session/sign-in.tsx'
import { channel, dm, drawer, membersShown, overlay, person, place, starting, unread } from './state/store.ts'
import { Switcher } from './chat/switcher.tsx'
import { Toasts } from './components/toasts.tsx'

const Inspector = lazy(async () => (await import('./inspector/inspector.tsx')).Inspector)
const SaveTest = lazy(async () => (await import('./save-test/save-test.tsx')).SaveTest)

const AddServer = lazy(async () => (await import('./screens.ts')).AddServer)
const Shortcuts = lazy(async () => (await import('./screens.ts')).Shortcuts)

/** The screens on top of the chat; each reads `route` and closes with `closeScreen()`. */
const screens: Readonly<Record<ScreenName, ComponentType>> = {
  'server-settings': lazy(async () => (await import('./screens.ts')).ServerSettings),
  developer: lazy(async () => (await import('./screens.ts')).Developer),
  profile: lazy(async () => (await import('./screens.ts')).OwnProfile),
  missing: MissingScreen,
}

/** Whether the browser inserts what is dropped: a text in an input. */
const isInserted = ({ target, dataTransfer }: DragEvent): boolean =>
  target instanceof HTMLTextAreaElement && !dataTransfer?.types.includes('Files')

function Room() {
  const open = place.value.channelId !== undefined && (channel.value ?? dm.value) !== undefined
  const title = channel.value?.name ?? (dm.value ? memberName(dm.value.user) : 'Botwright chat')
  const label = channel.value ? `Message #${title}` : `Message ${title}`
  return (
    <main
      class="room"
      onDragOver={(event) => open && !isInserted(event) && event.preventDefault()}
      onDrop={(event) => {
        if (isInserted(event)) return
        event.preventDefault()
        if (open) attach(event.dataTransfer?.files)
      }}
    >
      <Header title={title} />
      <ConnectionBanner />
      <CodeProblems />
      {open ? <MessageList key={place.value.channelId} label={`Messages in ${title}`} /> : <NoChannel />}
      {open && <Composer label={label} />}
    </main>
  )
}

function Overlay() {
  const shown = overlay.value
  if (!shown) return null
  if (shown.kind === 'switcher') return <Switcher />
  if (shown.kind === 'shortcuts') return <Shortcuts />
  if (shown.kind === 'profile') return <Profile key={shown.userId} userId={shown.userId} />
  if (shown.kind === 'save-test') return <SaveTest from={shown.from} />
  return <AddServer onClose={() => (overlay.value = undefined)} />
}

function Chat() {
  const inspects = inspectorShown.value
  const folded = !inspects && (!membersShown.value || !channel.value)
  const classes = ['app', folded && 'is-folded', inspects && 'has-panel', drawer.value && `shows-${drawer.value}`]
  return (
    <div class={classes.filter(Boolean).join(' ')}>
      <Sidebar />
      <Room />
      {inspects ? (
        <aside class="side-panel" aria-label="Inspector">
          <Inspector />
        </aside>
      ) : (
        channel.value && <Members />
      )}
      {drawer.value && <div class="scrim" onClick={() => (drawer.value = undefined)} />}
    </div>
  )
}

function useTitle(): void {
  const count = Object.values(unread.value).reduce((sum, each) => sum + each.mentions, 0)
  const dot = Object.keys(unread.value).length > 0 ? '• ' : ''
  const where = channel.value ? `#${channel.value.name}` : dm.value ? memberName(dm.value.user) : 'Botwright chat'
  const title = screenTitle.value ?? (count > 0 ? `(${count}) ${where}` : dot + where)
  useEffect(() => {
    document.title = title
  }, [title])
}

export function App() {
  useTitle()
  useEffect(() => {
    addEventListener('keydown', onWindowKey)
    return () => removeEventListener('keydown', onWindowKey)
  }, [])
  useEffect(() => (starting.value ? undefined : loadPartsWhenIdle()), [starting.value])
  if (!person.value && starting.value) return null
  if (!person.value || addingPerson.value) {
    return (
      <>
        <SignIn />
        <Toasts />
      </>
    )
  }
  const { screen } = route.value
  const Screen = screen === 'chat' ? undefined : screens[screen]
  return (
    <>
      {Screen ? (
        <div class="screen">
          <Screen />
        </div>
      ) : (
        <Chat />
      )}
      <Overlay />
      <Toasts />
      <Announcer />
    </>
  )
}
