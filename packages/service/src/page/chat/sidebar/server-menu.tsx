import { useState } from 'preact/hooks'
import { api } from '../../state/api.ts'
import { Icon, type IconName } from '../../components/icons.tsx'
import { markRead } from '../../state/read-marks.ts'
import { Popover } from '../../components/popover.tsx'
import { goTo } from '../../state/route.ts'
import { person, unread, view } from '../../state/store.ts'
import { attempt, copy, toast } from '../../state/toasts.ts'

type Entry = [icon: IconName, label: string, act: () => void]

function entries(): Entry[] {
  const shown = view.value
  if (!shown) return []
  const { id, owner_id, name } = shown.server
  const list: Entry[] = []
  if (shown.permissions.length > 0) {
    list.push(['gear', 'Server settings', () => goTo({ screen: 'server-settings', serverId: id })])
  }
  list.push([
    'check',
    'Mark all as read',
    () => shown.channels.forEach((each) => unread.value[each.id] && markRead(each.id)),
  ])
  list.push(['id', 'Copy server ID', () => void copy(id, 'Server ID')])
  if (owner_id !== person.value?.id) {
    list.push([
      'leave',
      'Leave server',
      () =>
        void attempt(async () => {
          await api.servers.leave({ server_id: id })
          toast(`You left ${name}`, 'note')
        }),
    ])
  }
  return list
}

/** The name of the server, with its menu. */
export function ServerMenu() {
  const [open, setOpen] = useState(false)
  const server = view.value?.server
  if (!server) {
    return (
      <header class="bar">
        <h2>Botwright chat</h2>
      </header>
    )
  }
  return (
    <header class="bar server-bar">
      <span class="anchor">
        <button
          type="button"
          class="server-title"
          aria-label={`${server.name}: server menu`}
          aria-haspopup="menu"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <h2 dir="auto" title={server.name}>
            {server.name}
          </h2>
          <Icon name="chevron" size={15} />
        </button>
        {open && (
          <Popover label="Server menu" role="menu" align="start" class="menu" onClose={() => setOpen(false)}>
            {entries().map(([icon, label, act]) => (
              <button
                key={label}
                type="button"
                role="menuitem"
                class="menu-item"
                onClick={() => {
                  setOpen(false)
                  act()
                }}
              >
                <Icon name={icon} size={15} />
                {label}
              </button>
            ))}
          </Popover>
        )}
      </span>
    </header>
  )
}
