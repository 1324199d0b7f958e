import { useState } from 'preact/hooks'
import { Avatar, BotTag } from '../../components/avatar.tsx'
import { ownHalf } from '../../navigation/split-screen.ts'
import { channelIcon, Icon, type IconName } from '../../components/icons.tsx'
import { PinsPanel } from './pins.tsx'
import { Popover } from '../../components/popover.tsx'
import { memberName } from '../../state/names.ts'
import { inspectorShown } from '../../state/route.ts'
import { SearchPanel } from './search.tsx'
import { channel, dm, drawer, membersShown, overlay, person, presences, searching } from '../../state/store.ts'
import { isNarrow } from '../../components/narrow.ts'

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

const endSearch = (): void => {
  searching.value = false
}

function Search() {
  const on = searching.value
  return (
    <span class="anchor">
      <Toggle icon="search" label="Search messages (Ctrl F)" on={on} onClick={() => (searching.value = !on)} />
      {on && !isNarrow() && <SearchPanel onClose={endSearch} />}
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
      {here && <Icon name={channelIcon(here)} size={17} />}
      {other && (
        <Avatar id={other.id} name={title} url={other.avatar_url} size="small" {...(presence && { presence })} />
      )}
      <h1 dir="auto" title={title}>
        {title}
      </h1>
      {other?.bot === true && <BotTag />}
      {notes.map((note) => note !== false && <span class="note">{note}</span>)}
    </>
  )
}

type Tool = { icon: IconName; label: string; on?: boolean; onClick: () => void }
/** The buttons of the header, except those that open a panel of their own: search and pins. */
function tools(): Tool[] {
  const here = channel.value
  const list: Tool[] = [
    {
      icon: 'goto',
      label: 'Go to a channel or person (Ctrl K)',
      onClick: () => (overlay.value = { kind: 'switcher' }),
    },
  ]
  if (here ?? dm.value) {
    const onClick = () => (overlay.value = { kind: 'save-test', from: undefined })
    list.push({ icon: 'save', label: 'Save as test', onClick })
  }
  list.push({
    icon: 'inspect',
    label: 'Inspector: bot events and calls',
    on: inspectorShown.value,
    onClick: () => (inspectorShown.value = !inspectorShown.value),
  })
  if (here) {
    const on = isNarrow() ? drawer.value === 'members' : membersShown.value && !inspectorShown.value
    list.push({ icon: 'members', label: 'Members', on, onClick: toggleMembers })
  }
  return list
}

/** On narrow screens, the buttons are in a menu, so that the title has room. */
function NarrowTools() {
  const [open, setOpen] = useState<'menu' | 'pins'>()
  const close = () => setOpen(undefined)
  return (
    <span class="anchor only-narrow">
      <Toggle
        icon="more"
        label="Channel menu"
        on={open === 'menu'}
        onClick={() => setOpen(open === 'menu' ? undefined : 'menu')}
      />
      {open === 'menu' && (
        <Popover label="Channel menu" role="menu" class="menu" onClose={close}>
          {(channel.value ?? dm.value) && (
            <>
              <button
                type="button"
                role="menuitem"
                class="menu-item"
                onClick={() => {
                  close()
                  searching.value = true
                }}
              >
                <Icon name="search" size={15} />
                Search messages
              </button>
              <button type="button" role="menuitem" class="menu-item" onClick={() => setOpen('pins')}>
                <Icon name="pin" size={15} />
                Pinned messages
              </button>
            </>
          )}
          {tools().map(({ icon, label, onClick }) => (
            <button
              key={label}
              type="button"
              role="menuitem"
              class="menu-item"
              onClick={() => {
                close()
                onClick()
              }}
            >
              <Icon name={icon} size={15} />
              {label}
            </button>
          ))}
        </Popover>
      )}
      {open === 'pins' && <PinsPanel onClose={close} />}
      {searching.value && isNarrow() && <SearchPanel onClose={endSearch} />}
    </span>
  )
}

/** The title of what is open, and the buttons of the panels beside it. */
export function Header({ title }: { title: string }) {
  const [goTo, ...others] = tools()
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
      <span class="header-tools">
        {goTo && <Toggle {...goTo} />}
        {(channel.value ?? dm.value) && (
          <>
            <Search />
            <Pins />
          </>
        )}
        {others.map((each) => (
          <Toggle key={each.label} {...each} />
        ))}
      </span>
      {ownHalf && person.value && <span class="note half-person">{memberName(person.value)}</span>}
      <NarrowTools />
    </header>
  )
}
