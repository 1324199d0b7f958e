import type { Permission, Role } from '@botwright/protocol'
import { useState } from 'preact/hooks'
import type { ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { byName, memberName } from '../state/names.ts'
import { person } from '../state/store.ts'
import { attempt } from '../state/toasts.ts'
import { api } from '../state/api.ts'
import { changesOf } from '../forms/changes.ts'
import { Confirm } from '../forms/confirm.tsx'
import { Switch, TextField } from '../forms/field.tsx'
import { CardForm } from '../forms/form.tsx'
import { BackButton, Section } from '../forms/frame.tsx'
import { mayNot, mayNotActOn, mayNotUse, permissionNames, permissionWords, type Reason } from '../state/permissions.ts'
import { useCall } from '../forms/problem.ts'

const swatches = ['#5159d3', '#2f7ed8', '#0f8f8c', '#16794a', '#b7791f', '#c2571a', '#c4314b', '#a1418f']
const swatchNames = ['Indigo', 'Blue', 'Teal', 'Green', 'Amber', 'Orange', 'Red', 'Purple']

function ColorField({
  value,
  disabled,
  onChange,
}: {
  value: string | null
  disabled: boolean
  onChange: (value: string | null) => void
}) {
  return (
    <fieldset class="field swatches" disabled={disabled}>
      <legend>Color</legend>
      <label class="swatch">
        <input type="radio" name="color" checked={value === null} onChange={() => onChange(null)} />
        <span class="swatch-none">None</span>
      </label>
      {swatches.map((color, index) => (
        <label key={color} class="swatch">
          <input
            type="radio"
            name="color"
            aria-label={swatchNames[index]}
            checked={value?.toLowerCase() === color}
            onChange={() => onChange(color)}
          />
          <span
            class="swatch-face"
            ref={(face) => {
              if (face) face.style.backgroundColor = color
            }}
          />
        </label>
      ))}
      <label class="swatch swatch-own">
        <span>Custom</span>
        <input
          type="color"
          aria-label="Custom color"
          value={value ?? '#808080'}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
    </fieldset>
  )
}

interface PermissionsProps {
  view: ServerView
  /** Why the role cannot be changed. */
  fixed: Reason
  permissions: readonly Permission[]
  error: string | undefined
  onChange: (permissions: Permission[]) => void
}

/** The permissions of a role. A person can add only those that they have. */
function PermissionsField({ view, fixed, permissions, error, onChange }: PermissionsProps) {
  return (
    <fieldset class="field">
      <legend>Permissions</legend>
      {error !== undefined && <p class="field-error">{error}</p>}
      <div class="checks">
        {permissionNames.map((permission) => {
          const missing = fixed ?? mayNot(view, permission)
          const held = permissions.includes(permission)
          const { label, hint } = permissionWords[permission]
          return (
            <Switch
              key={permission}
              label={label}
              hint={missing !== undefined && fixed === undefined ? 'You do not have this permission yourself' : hint}
              checked={held}
              disabled={missing !== undefined && !(held && fixed === undefined)}
              onChange={(on) =>
                onChange(on ? [...permissions, permission] : permissions.filter((each) => each !== permission))
              }
            />
          )
        })}
      </div>
    </fieldset>
  )
}

/** The members with the role; changes apply right away. */
function Holders({ view, role }: { view: ServerView; role: Role }) {
  const sorted = [...view.members].sort((a, b) => byName(memberName(a), memberName(b)))
  return (
    <Section title="Members" description="Changes apply right away.">
      <div class="card card-body checks">
        {sorted.map((member) => {
          const self = member.user_id === person.value?.id
          const reason = mayNotUse(view, role) ?? (self ? undefined : mayNotActOn(view, member, 'manage_roles'))
          return (
            <Switch
              key={member.user_id}
              label={`${memberName(member)}${member.bot ? ' (bot)' : ''}`}
              checked={member.roles.includes(role.id)}
              {...(reason !== undefined && { hint: reason })}
              disabled={reason !== undefined}
              onChange={(on) =>
                attempt(async () => {
                  await api.moderation[on ? 'addRole' : 'removeRole']({
                    server_id: view.server.id,
                    user_id: member.user_id,
                    role_id: role.id,
                  })
                  await loadServer(view.server.id)
                })
              }
            />
          )
        })}
      </div>
    </Section>
  )
}

interface EditorProps {
  view: ServerView
  /** Undefined for a new role. */
  role: Role | undefined
  onClose: () => void
}

export function RoleEditor({ view, role, onClose }: EditorProps) {
  const serverId = view.server.id
  const [before] = useState({
    name: role?.name ?? '',
    color: role?.color ?? null,
    permissions: (role?.permissions ?? []) as Permission[],
  })
  const [name, setName] = useState(before.name)
  const [color, setColor] = useState(before.color)
  const [permissions, setPermissions] = useState(before.permissions)
  const [deleting, setDeleting] = useState(false)
  const call = useCall('name', 'permissions', 'color')
  const fixed = role === undefined ? mayNot(view, 'manage_roles') : mayNotUse(view, role)
  const save = async () => {
    const now = { name: name.trim(), color, permissions }
    if (role === undefined) await api.roles.create({ server_id: serverId, ...now })
    else await api.settings.updateRole({ server_id: serverId, role_id: role.id, ...changesOf(before, now) })
    await loadServer(serverId)
    onClose()
  }
  return (
    <>
      <BackButton to="All roles" onClick={onClose} />
      <Section title={role?.name ?? 'New role'} {...(fixed !== undefined && { description: `${fixed}.` })}>
        <CardForm
          call={call}
          action={role ? 'Save' : 'Create role'}
          readOnly={fixed !== undefined}
          disabled={name.trim() === ''}
          onSubmit={save}
          otherActions={
            role && (
              <button type="button" class="button button-secondary is-danger" onClick={() => setDeleting(true)}>
                Delete role
              </button>
            )
          }
        >
          <TextField
            label="Role name"
            value={name}
            onInput={setName}
            error={call.at('name')}
            disabled={fixed !== undefined}
            autofocus={role === undefined}
          />
          <ColorField value={color} disabled={fixed !== undefined} onChange={setColor} />
          <PermissionsField
            view={view}
            fixed={fixed}
            permissions={permissions}
            error={call.at('permissions')}
            onChange={setPermissions}
          />
        </CardForm>
      </Section>
      {role && <Holders view={view} role={role} />}
      {deleting && role && (
        <Confirm
          title={`Delete the role ${role.name}?`}
          action="Delete role"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await api.settings.deleteRole({ server_id: serverId, role_id: role.id })
            await loadServer(serverId)
            onClose()
          }}
        >
          <p>Members with this role lose its permissions and their access to private channels through it.</p>
        </Confirm>
      )}
    </>
  )
}
