import type { Channel, Role } from '@botwright/protocol'
import { limits } from '@botwright/protocol/limits'
import { useEffect, useState } from 'preact/hooks'
import { plural } from '../components/plural.ts'
import type { ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { byName, memberName } from '../state/names.ts'
import { showError } from '../state/toasts.ts'
import { api } from '../state/api.ts'
import { ConfirmDeletion } from './category-dialog.tsx'
import { CategoryField } from './category-field.tsx'
import { changesOf } from '../forms/changes.ts'
import { SelectField, Switch, TextField } from '../forms/field.tsx'
import { CardForm } from '../forms/form.tsx'
import { BackButton, Section } from '../forms/frame.tsx'
import { type Call, useCall } from '../forms/problem.ts'
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
  /** Members whom the world lets in without a role; this form does not change them. */
  member_ids: string[]
}
const noAccess: Access = { role_ids: [], post_role_ids: [], member_ids: [] }

/** Names those with access: `the owner, the selected roles and bob`. */
const allOf = (names: readonly string[]): string => new Intl.ListFormat('en-GB').format(names)

/** Editor for one channel: name, category, who can see it and who can post. Loads the roles with access first. */
export function ChannelEditor({ view, channel, onClose }: { view: ServerView; channel: Channel; onClose: () => void }) {
  const [access, setAccess] = useState<Access>()
  useEffect(() => {
    api.settings
      .get({ server_id: view.server.id })
      .then(({ access: all }) => all.find((each) => each.channel_id === channel.id))
      .then((found) => setAccess(found ?? noAccess), showError)
  }, [channel.id])
  return (
    <>
      <BackButton to="All channels" onClick={onClose} />
      {access && <ChannelForm view={view} channel={channel} access={access} onClose={onClose} />}
    </>
  )
}

/** The editable values of a channel. */
interface Draft extends Omit<Access, 'member_ids'> {
  name: string
  category_id: string | null
  private: boolean
  read_only: boolean
  slowmode: number
}

interface FieldsProps {
  draft: Draft
  roles: readonly Role[]
  at: Call['at']
  change: (changes: Partial<Draft>) => void
}

/** Chooses who can see the channel. */
function VisibilityFields({ draft, roles, members, at, change }: FieldsProps & { members: readonly string[] }) {
  return (
    <>
      <Switch
        label="Private"
        hint={`Only ${allOf(['the owner', 'the selected roles', ...members])} can see the channel.`}
        checked={draft.private}
        onChange={(on) => change({ private: on })}
      />
      {draft.private && (
        <RolePick
          legend="Roles with access"
          empty={`No roles yet: only ${allOf(['the owner', ...members])} could see this channel. Create one under Roles.`}
          roles={roles}
          picked={draft.role_ids}
          error={at('role_ids')}
          onChange={(role_ids) => change({ role_ids })}
        />
      )}
    </>
  )
}

/** Chooses who can post in a text channel, and how often. */
function PostingFields({ draft, roles, at, change }: FieldsProps) {
  return (
    <>
      <Switch
        label="Read-only"
        hint="Only the selected roles and roles with Manage messages can post. This applies to bots, too."
        checked={draft.read_only}
        onChange={(on) => change({ read_only: on })}
      />
      {draft.read_only && (
        <RolePick
          legend="Roles that can post"
          empty="No roles yet: only members with Manage messages could post."
          roles={roles}
          picked={draft.post_role_ids}
          error={at('post_role_ids')}
          onChange={(post_role_ids) => change({ post_role_ids })}
        />
      )}
      <SelectField
        label="Slowmode"
        hint="How long each member must wait between messages."
        value={String(draft.slowmode)}
        error={at('slowmode')}
        options={[...new Set([...slow, draft.slowmode])]
          .sort((a, b) => a - b)
          .map((each) => ({ value: String(each), label: slowLabel(each) }))}
        onChange={(value) => change({ slowmode: Number(value) })}
      />
    </>
  )
}

type FormProps = { view: ServerView; channel: Channel; access: Access; onClose: () => void }

function ChannelForm({ view, channel, access, onClose }: FormProps) {
  const { name, category_id, private: isPrivate, read_only, slowmode } = channel
  const { role_ids, post_role_ids, member_ids } = access
  const members = view.members
    .filter((each) => member_ids.includes(each.user_id))
    .map(memberName)
    .sort(byName)
  const [before] = useState<Draft>({
    name,
    category_id,
    private: isPrivate,
    role_ids,
    read_only,
    post_role_ids,
    slowmode,
  })
  const [draft, setDraft] = useState(before)
  const change = (changes: Partial<Draft>) => setDraft((now) => ({ ...now, ...changes }))
  const [deleting, setDeleting] = useState(false)
  const call = useCall('name', 'category_id', 'role_ids', 'post_role_ids', 'slowmode')
  const isText = channel.type === 'text'
  const save = async () => {
    await api.channels.update({
      channel_id: channel.id,
      ...changesOf(before, { ...draft, name: draft.name.trim() }),
    })
    await loadServer(view.server.id)
    onClose()
  }
  const fields = { draft, at: call.at, change, roles: [...view.roles].sort((a, b) => b.position - a.position) }
  return (
    <Section title={`${isText ? '#' : ''}${channel.name}`}>
      <CardForm
        call={call}
        disabled={draft.name.trim() === ''}
        onSubmit={save}
        otherActions={
          <button type="button" class="button button-secondary is-danger" onClick={() => setDeleting(true)}>
            Delete channel
          </button>
        }
      >
        <TextField
          label="Name"
          value={draft.name}
          onInput={(typed) => change({ name: typed })}
          error={call.at('name')}
        />
        <CategoryField
          view={view}
          value={draft.category_id}
          error={call.at('category_id')}
          onChange={(id) => change({ category_id: id })}
        />
        <VisibilityFields {...fields} members={members} />
        {isText && <PostingFields {...fields} />}
      </CardForm>
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
