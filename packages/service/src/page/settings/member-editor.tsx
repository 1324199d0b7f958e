import { limits } from '@botwright/protocol/limits'
import { useState } from 'preact/hooks'
import type { PeopleMember, ServerView } from '../../people.ts'
import { loadServer } from '../state/actions.ts'
import { memberName } from '../state/names.ts'
import { isAhead } from '../state/service-clock.ts'
import { person } from '../state/store.ts'
import { attempt } from '../state/toasts.ts'
import { api } from '../state/api.ts'
import { Switch, TextField } from '../forms/field.tsx'
import { CardForm } from '../forms/form.tsx'
import { BackButton, Section } from '../forms/frame.tsx'
import { type ModerationAction, MemberAction } from './member-actions.tsx'
import { mayNot, mayNotActOn, mayNotUse, type Reason } from '../state/permissions.ts'
import { useCall } from '../forms/problem.ts'

type Props = { view: ServerView; member: PeopleMember }

function Nickname({ view, member }: Props) {
  const [nickname, setNickname] = useState(member.nickname ?? '')
  const call = useCall('nickname')
  const self = member.user_id === person.value?.id
  const reason = self ? mayNot(view, 'manage_nicknames') : mayNotActOn(view, member, 'manage_nicknames')
  const save = async () => {
    await api.moderation.setNickname({
      server_id: view.server.id,
      user_id: member.user_id,
      nickname: nickname.trim() === '' ? null : nickname.trim(),
    })
    await loadServer(view.server.id)
  }
  return (
    <CardForm
      call={call}
      readOnly={reason !== undefined}
      disabled={nickname.trim() === (member.nickname ?? '')}
      onSubmit={save}
    >
      <TextField
        label="Nickname"
        value={nickname}
        onInput={setNickname}
        placeholder={member.display_name ?? member.username}
        max={limits.display_name.characters}
        error={call.at('nickname')}
        hint={reason ?? 'Shown in this server only. Leave empty to use their own name.'}
        disabled={reason !== undefined}
      />
    </CardForm>
  )
}

function MemberRoles({ view, member }: Props) {
  const self = member.user_id === person.value?.id
  const blocked = self ? mayNot(view, 'manage_roles') : mayNotActOn(view, member, 'manage_roles')
  const roles = [...view.roles].sort((a, b) => b.position - a.position)
  if (roles.length === 0) return <p class="rows-empty">This server has no roles yet. Create one under Roles.</p>
  return (
    <div class="card card-body checks">
      {roles.map((role) => {
        const reason = blocked ?? mayNotUse(view, role)
        return (
          <Switch
            key={role.id}
            label={role.name}
            {...(reason !== undefined && { hint: reason })}
            checked={member.roles.includes(role.id)}
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
  )
}

const acts: readonly {
  act: ModerationAction
  permission: 'timeout_members' | 'kick_members' | 'ban_members'
  label: string
  text: string
}[] = [
  { act: 'timeout', permission: 'timeout_members', label: 'Time out', text: 'Can read but not post for a while.' },
  { act: 'kick', permission: 'kick_members', label: 'Kick', text: 'Removes the member. They can join again.' },
  { act: 'ban', permission: 'ban_members', label: 'Ban', text: 'Removes the member. They cannot join again.' },
]

/** Editor for one member: nickname, roles and moderation. */
export function MemberEditor({ view, member, onClose }: Props & { onClose: () => void }) {
  const [act, setAct] = useState<ModerationAction>()
  const self = member.user_id === person.value?.id
  const reasonFor = (permission: (typeof acts)[number]['permission']): Reason =>
    self ? 'You cannot do this to yourself' : mayNotActOn(view, member, permission)
  return (
    <>
      <BackButton to="All members" onClick={onClose} />
      <Section title={memberName(member)} description={`@${member.username}${member.bot ? ' · bot' : ''}`}>
        <Nickname view={view} member={member} />
      </Section>
      <Section title="Roles" description="Changes apply right away.">
        <MemberRoles view={view} member={member} />
      </Section>
      <Section title="Moderation">
        <ul class="rows rows-danger">
          {acts.map(({ act: each, permission, label, text }) => {
            const reason = reasonFor(permission)
            const lift = each === 'timeout' && member.timeout_until !== null && isAhead(member.timeout_until)
            return (
              <li key={each} class="row">
                <div class="row-text">
                  <strong>{lift ? 'Timed out' : label}</strong>
                  <p id={`act-${each}`}>{reason ?? text}</p>
                </div>
                {lift && reason === undefined && (
                  <button
                    type="button"
                    class="button button-secondary"
                    onClick={() =>
                      void attempt(async () => {
                        await api.moderation.timeout({ server_id: view.server.id, user_id: member.user_id, minutes: 0 })
                        await loadServer(view.server.id)
                      })
                    }
                  >
                    End timeout
                  </button>
                )}
                <button
                  type="button"
                  class="button button-secondary is-danger"
                  disabled={reason !== undefined}
                  aria-describedby={`act-${each}`}
                  onClick={() => setAct(each)}
                >
                  {lift ? 'Change' : label}…
                </button>
              </li>
            )
          })}
        </ul>
      </Section>
      {act && <MemberAction act={act} view={view} member={member} onClose={() => setAct(undefined)} />}
    </>
  )
}
