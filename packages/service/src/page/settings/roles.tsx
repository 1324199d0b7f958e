import type { Role } from '@botwright/protocol'
import { plural } from '../components/plural.ts'
import type { ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { Icon } from '../components/icons.tsx'
import { attempt } from '../state/toasts.ts'
import { api } from '../state/api.ts'
import { Rows, Section } from '../forms/frame.tsx'
import { mayNot, mayNotUse, ownTopPosition, type Reason } from '../state/permissions.ts'
import { Missing } from '../navigation/missing.tsx'
import { goTo, route } from '../state/route.ts'
import { RoleEditor } from './role-editor.tsx'

/** A dot in the color of a role. */
export const RoleDot = ({ color }: { color: string | null }) => (
  <span
    class="role-dot"
    ref={(dot) => {
      if (dot) dot.style.backgroundColor = color ?? ''
    }}
  />
)

/** The roles in the order of the list. */
const highestFirst = (view: ServerView): Role[] => [...view.roles].sort((a, b) => b.position - a.position)

/** Swaps a role with its neighbour. */
async function swap(view: ServerView, role: Role, neighbour: Role): Promise<void> {
  const server_id = view.server.id
  const before = highestFirst(view).filter((each) => mayNotUse(view, each) === undefined)
  const after = before.map((each) => (each === role ? neighbour : each === neighbour ? role : each)).reverse()
  await api.settings.orderRoles({ server_id, role_ids: after.map(({ id }) => id) })
  await loadServer(server_id)
}

type RowProps = { view: ServerView; role: Role; above: Role | undefined; below: Role | undefined; onOpen: () => void }

/** A role between its neighbours in the list. */
function RoleRow({ view, role, above, below, onOpen }: RowProps) {
  const fixed = mayNotUse(view, role)
  const stuckUp = fixed ?? (above ? mayNotUse(view, above) : 'This is the highest role')
  const stuckDown = fixed ?? (below ? undefined : 'This is the lowest role')
  const holders = view.members.filter((each) => each.roles.includes(role.id)).length
  const verb = fixed === undefined ? 'Edit' : 'Show'
  return (
    <li class="row">
      <RoleDot color={role.color} />
      <div class="row-text">
        <strong>{role.name}</strong>
        <p>
          {plural(holders, 'member')} · {plural(role.permissions.length, 'permission')}
        </p>
      </div>
      <MoveButton view={view} role={role} to="up" neighbour={above} stuck={stuckUp} />
      <MoveButton view={view} role={role} to="down" neighbour={below} stuck={stuckDown} />
      <button type="button" class="button button-secondary" aria-label={`${verb} ${role.name}`} onClick={onOpen}>
        {verb}
      </button>
    </li>
  )
}

type MoveProps = { view: ServerView; role: Role; to: 'up' | 'down'; neighbour: Role | undefined; stuck: Reason }

const MoveButton = ({ view, role, to, neighbour, stuck }: MoveProps) => (
  <button
    type="button"
    class="action"
    aria-label={`Move ${role.name} ${to}`}
    title={stuck ?? `Move ${to}`}
    disabled={stuck !== undefined}
    onClick={() => void attempt(() => swap(view, role, neighbour!))}
  >
    <Icon name={to} />
  </button>
)

export function Roles({ view }: { view: ServerView }) {
  const here = route.value
  const editing = here.screen === 'server-settings' ? here.roleId : undefined
  /** Opens the editor of a role, which has its own URL, or the list. */
  const setEditing = (roleId: string | undefined) =>
    goTo({ screen: 'server-settings', serverId: view.server.id, tab: 'roles', roleId })
  const listed = highestFirst(view)
  const reason = mayNot(view, 'manage_roles')
  const noRoom =
    reason ?? (ownTopPosition(view) <= 1 ? 'You can create only roles below your own highest role' : undefined)
  const open = editing === 'new' ? 'new' : view.roles.find((each) => each.id === editing)
  if (open !== undefined) {
    return (
      <RoleEditor
        key={editing}
        view={view}
        role={open === 'new' ? undefined : open}
        // The person may have opened another role or screen meanwhile.
        onClose={() => route.value === here && setEditing(undefined)}
      />
    )
  }
  if (editing !== undefined) return <Missing what="role" />
  return (
    <Section
      title="Roles"
      description="Roles give permissions to members and bots. The highest role is first; members can act only on members below them."
      actions={
        <button
          type="button"
          class="button button-primary"
          disabled={noRoom !== undefined}
          title={noRoom}
          onClick={() => setEditing('new')}
        >
          New role
        </button>
      }
    >
      {noRoom !== undefined && <p class="reason">{noRoom}.</p>}
      <Rows empty="No roles yet. Without roles, members and bots can read, post, react and send direct messages.">
        {listed.map((role, index) => (
          <RoleRow
            key={role.id}
            view={view}
            role={role}
            above={listed[index - 1]}
            below={listed[index + 1]}
            onOpen={() => setEditing(role.id)}
          />
        ))}
      </Rows>
    </Section>
  )
}
