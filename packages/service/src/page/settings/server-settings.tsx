import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { closeScreen, goTo, route } from '../state/route.ts'
import { servers, views } from '../state/store.ts'
import { showError } from '../state/toasts.ts'
import { Bans } from './bans.tsx'
import { Bots } from './bots.tsx'
import { Channels } from './channels.tsx'
import { Frame } from '../forms/frame.tsx'
import { MembersTab } from './members.tsx'
import { Overview } from './overview.tsx'
import { Missing } from '../navigation/missing.tsx'
import { mayNot } from '../state/permissions.ts'
import { Roles } from './roles.tsx'
import { Webhooks } from './webhooks.tsx'

interface Part {
  id: string
  label: string
  Body: ComponentType<{ view: ServerView }>
  /** Whether the tab is shown; by default it always is. */
  shown?: (view: ServerView) => boolean
}

const parts: readonly Part[] = [
  { id: 'overview', label: 'Overview', Body: Overview },
  { id: 'roles', label: 'Roles', Body: Roles },
  { id: 'members', label: 'Members', Body: MembersTab },
  { id: 'bans', label: 'Bans', Body: Bans, shown: (view) => mayNot(view, 'ban_members') === undefined },
  { id: 'channels', label: 'Channels', Body: Channels },
  { id: 'bots', label: 'Bots', Body: Bots },
  { id: 'webhooks', label: 'Webhooks', Body: Webhooks },
]

/** The settings of the server in the route. */
export function ServerSettings() {
  const here = route.value
  const serverId = here.screen === 'server-settings' ? here.serverId : ''
  const view = views.value[serverId]
  const gone = !servers.value.some((each) => each.id === serverId)
  useEffect(() => {
    // The person was kicked or banned, or has left.
    if (gone) closeScreen()
    else void loadServer(serverId).catch(showError)
  }, [serverId, gone])
  if (here.screen !== 'server-settings' || view === undefined) return null
  const shown = parts.filter((each) => each.shown?.(view) ?? true)
  const current = here.tab === undefined ? shown[0] : shown.find((each) => each.id === here.tab)
  if (current === undefined) return <Missing what="page" />
  return (
    <Frame
      title={view.server.name}
      subtitle="Server settings"
      tabs={shown}
      current={current.id}
      onTab={(tab) => goTo({ screen: 'server-settings', serverId, tab })}
    >
      <current.Body key={`${serverId} ${current.id}`} view={view} />
    </Frame>
  )
}
