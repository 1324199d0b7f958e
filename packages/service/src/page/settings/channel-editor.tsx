import type { Channel, Role } from '@botwright/protocol'
import { limits } from '@botwright/protocol/limits'
import { useEffect, useState } from 'preact/hooks'
import { plural } from '../components/plural.ts'
import type { ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { showError } from '../state/toasts.ts'
import { api } from '../state/api.ts'
import { ConfirmDeletion } from './category-dialog.tsx'
import { FormProblem, SelectField, Switch, TextField } from '../forms/field.tsx'
import { Section } from '../forms/frame.tsx'
import { useCall } from '../forms/problem.ts'
import { RoleDot } from './roles.tsx'

type RolePickProps = {
  legend: string
  empty: string
  roles: readonly Role[]
  picked: readonly string[]
  error: string | undefined
  onChange: (ids: string[]) => void
}

function RolePick({ legend, empty, roles, picked, error, onChange }: RolePickProps) {
  return (
    <fieldset class="field role-pick">
      <legend>{legend}</legend>
      {roles.length === 0 && <p class="field-hint">{empty}</p>}
      {roles.map((role) => (
        <label key={role.id} class="check">
          <input
            type="checkbox"
            checked={picked.includes(role.id)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...picked, role.id] : picked.filter((each) => each !== role.id))
            }
          />
          <RoleDot color={role.color} />
          {role.name}
        </label>
      ))}
      {error !== undefined && <p class="field-error">{error}</p>}
    </fieldset>
  )
}

const slow = [0, 5, 10, 30, 60, 300, 3600, limits.channel_slowmode.seconds]
const slowLabel = (seconds: number): string =>
  seconds === 0
    ? 'Off'
    : seconds < 60
      ? plural(seconds, 'second')
      : seconds < 3600
        ? plural(seconds / 60, 'minute')
        : plural(seconds / 3600, 'hour')

interface Access {
  role_ids: string[]
  post_role_ids: string[]
}

/** Editor for one channel: name, category, who can see it and who can post. Loads the roles with access first. */
export function ChannelEditor({ view, channel, onClose }: { view: ServerView; channel: Channel; onClose: () => void }) {
  const [access, setAccess] = useState<Access>()
  useEffect(() => {
    api.settings
      .get({ server_id: view.server.id })
      .then(({ access: all }) => all.find((each) => each.channel_id === channel.id))
      .then((found) => setAccess(found ?? { role_ids: [], post_role_ids: [] }), showError)
  }, [channel.id])
  return (
    <>
      <button type="button" class="link-button back" onClick={onClose}>
        ← All channels
      </button>
      {access && <ChannelForm view={view} channel={channel} access={access} onClose={onClose} />}
    </>
  )
}

type FormProps = { view: ServerView; channel: Channel; access: Access; onClose: () => void }

function ChannelForm({ view, channel, access, onClose }: FormProps) {
  const [name, setName] = useState(channel.name)
  const [category, setCategory] = useState(channel.category_id ?? '')
  const [closed, setClosed] = useState(channel.private)
  const [roleIds, setRoleIds] = useState(access.role_ids)
  const [readOnly, setReadOnly] = useState(channel.read_only)
  const [postRoleIds, setPostRoleIds] = useState(access.post_role_ids)
  const [slowmode, setSlowmode] = useState(channel.slowmode)
  const [deleting, setDeleting] = useState(false)
  const { run, busy, at, general } = useCall('name', 'category_id', 'role_ids', 'post_role_ids', 'slowmode')
  const roles = [...view.roles].sort((a, b) => b.position - a.position)
  const isText = channel.type === 'text'
  const save = () =>
    run(async () => {
      await api.channels.update({
        channel_id: channel.id,
        name: name.trim(),
        category_id: category === '' ? null : category,
        private: closed,
        role_ids: roleIds,
        read_only: readOnly,
        post_role_ids: postRoleIds,
        slowmode,
      })
      await loadServer(view.server.id)
      onClose()
    })
  return (
    <Section title={`${isText ? '#' : ''}${channel.name}`}>
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <div class="card-body">
          <TextField label="Name" value={name} onInput={setName} error={at('name')} />
          <SelectField
            label="Category"
            value={category}
            error={at('category_id')}
            options={[
              { value: '', label: 'None' },
              ...view.categories.map((each) => ({ value: each.id, label: each.name })),
            ]}
            onChange={setCategory}
          />
          <Switch
            label="Private"
            hint="Only the owner and the selected roles can see the channel."
            checked={closed}
            onChange={setClosed}
          />
          {closed && (
            <RolePick
              legend="Roles with access"
              empty="No roles yet: only the owner could see this channel. Create one under Roles."
              roles={roles}
              picked={roleIds}
              error={at('role_ids')}
              onChange={setRoleIds}
            />
          )}
          {isText && (
            <Switch
              label="Read-only"
              hint="Only the selected roles and roles with Manage messages can post. This applies to bots, too."
              checked={readOnly}
              onChange={setReadOnly}
            />
          )}
          {isText && readOnly && (
            <RolePick
              legend="Roles that can post"
              empty="No roles yet: only members with Manage messages could post."
              roles={roles}
              picked={postRoleIds}
              error={at('post_role_ids')}
              onChange={setPostRoleIds}
            />
          )}
          {isText && (
            <SelectField
              label="Slowmode"
              hint="How long each member must wait between messages."
              value={String(slowmode)}
              error={at('slowmode')}
              options={[...new Set([...slow, slowmode])]
                .sort((a, b) => a - b)
                .map((each) => ({ value: String(each), label: slowLabel(each) }))}
              onChange={(value) => setSlowmode(Number(value))}
            />
          )}
          <FormProblem text={general} />
        </div>
        <footer class="card-foot">
          <button type="button" class="button button-secondary is-danger" onClick={() => setDeleting(true)}>
            Delete channel
          </button>
          <span class="grow" />
          <button type="submit" class="button button-primary" disabled={busy || name.trim() === ''}>
            Save
          </button>
        </footer>
      </form>
      {deleting && (
        <ConfirmDeletion
          title={`Delete ${isText ? '#' : ''}${channel.name}?`}
          text="This deletes its messages and webhooks for everyone and cannot be undone."
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await api.channels.delete({ channel_id: channel.id })
            await loadServer(view.server.id)
            onClose()
          }}
        />
      )}
    </Section>
  )
}
