import { useState } from 'preact/hooks'
import { Avatar, BotTag } from './avatar.tsx'
import { Icon, type IconName } from './icons.tsx'
import { PinsPanel } from './pins.tsx'
import { inspectorShown } from './route.ts'
import { panels } from './screens.tsx'
import { channel, dm, drawer, membersShown, overlay, presences } from './store.ts'
import { isNarrow } from './narrow.ts'

type ToggleProps = { icon: IconName; label: string; on?: boolean; onClick: () => void; class?: string }
const Toggle = ({ icon, label, on, onClick, class: name = '' }: ToggleProps) => (
  <button type="button" class={`action ${name}`} aria-label={label} title={label} aria-pressed={on} onClick={onClick}>
    <Icon name={icon} size={18} />
  </button>
)

const toggleMembers = (): void => {
  if (isNarrow()) drawer.value = drawer.value === 'members' ? undefined : 'members'
  else if (inspectorShown.value) {
    inspectorShown.value = false
    membersShown.value = true
  } else membersShown.value = !membersShown.value
}

function Pins() {
  const [open, setOpen] = useState(false)
  return (
    <span class="anchor">
      <Toggle icon="pin" label="Pinned messages" on={open} onClick={() => setOpen(!open)} />
      {open && <PinsPanel onClose={() => setOpen(false)} />}
    </span>
  )
}

function Title({ title }: { title: string }) {
  const here = channel.value
  const other = dm.value?.user
  const presence = other && presences.value[other.id]
  const notes = [
    here?.read_only === true && 'read-only',
    here?.private === true && 'private',
    (here?.slowmode ?? 0) > 0 && `slowmode ${here?.slowmode} s`,
  ]
  return (
    <>
      {here && <Icon name={here.private ? 'lock' : here.read_only ? 'megaphone' : 'hash'} size={17} />}
      {other && (
        <Avatar id={other.id} name={title} url={other.avatar_url} size="small" {...(presence && { presence })} />
      )}
      <h2>{title}</h2>
      {other?.bot === true && <BotTag />}
      {notes.map((note) => note !== false && <span class="note">{note}</span>)}
    </>
  )
}

/** The title of what is open, and the buttons of the panels beside it. */
export function Header({ title }: { title: string }) {
  const here = channel.value
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
      <Title title={title} />
      <span class="grow" />
      <Toggle
        icon="search"
        label="Go to a channel or person (Ctrl K)"
        onClick={() => (overlay.value = { kind: 'switcher' })}
      />
      {(here ?? dm.value) && <Pins />}
      {(here ?? dm.value) && panels.inspector && (
        <Toggle
          icon="save"
          label="Save as test"
          onClick={() => (overlay.value = { kind: 'save-test', from: undefined })}
        />
      )}
      {panels.inspector && (
        <Toggle
          icon="inspect"
          label="Inspector: bot events and calls"
          on={inspectorShown.value}
          onClick={() => (inspectorShown.value = !inspectorShown.value)}
        />
      )}
      {here && (
        <Toggle
          icon="members"
          label="Members"
          on={isNarrow() ? drawer.value === 'members' : membersShown.value && !inspectorShown.value}
          onClick={toggleMembers}
        />
      )}
    </header>
  )
}
