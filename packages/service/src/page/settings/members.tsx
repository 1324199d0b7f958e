import { foldTyped } from '@botwright/protocol/typed-text'
import { useState } from 'preact/hooks'
import { plural } from '../components/plural.ts'
import type { PeopleMember, ServerView } from '../../people.ts'
import { Avatar, BotTag } from '../components/avatar.tsx'
import { Icon } from '../components/icons.tsx'
import { byName, memberName } from '../state/names.ts'
import { isAhead } from '../state/service-clock.ts'
import { person } from '../state/store.ts'
import { longTime } from '../state/time.ts'
import { Section } from '../forms/frame.tsx'
import { MemberEditor } from './member-editor.tsx'
import { RoleDot } from './roles.tsx'

function MemberRow({ view, member, onOpen }: { view: ServerView; member: PeopleMember; onOpen: () => void }) {
  const name = memberName(member)
  const roles = view.roles.filter((each) => member.roles.includes(each.id)).sort((a, b) => b.position - a.position)
  return (
    <li>
      <button type="button" class="row row-button" title="Manage" onClick={onOpen}>
        <Avatar id={member.user_id} name={name} url={member.avatar_url} presence={member.presence} />
        <span class="row-text">
          <strong>
            {name} {member.bot && <BotTag />}
            {member.user_id === view.server.owner_id && <span class="badge">Owner</span>}
            {member.user_id === person.value?.id && <span class="badge">You</span>}
            {member.timeout_until !== null && isAhead(member.timeout_until) && (
              <span class="badge badge-amber">Timed out until {longTime(member.timeout_until)}</span>
            )}
          </strong>
          <span class="row-note">@{member.username}</span>
        </span>
        <span class="role-chips">
          {roles.map((role) => (
            <span key={role.id} class="role-chip">
              <RoleDot color={role.color} />
              {role.name}
            </span>
          ))}
        </span>
        <Icon name="right" size={14} />
      </button>
    </li>
  )
}

export function MembersTab({ view }: { view: ServerView }) {
  const [open, setOpen] = useState<string>()
  const [wanted, setWanted] = useState('')
  const member = view.members.find((each) => each.user_id === open)
  if (member) return <MemberEditor key={open} view={view} member={member} onClose={() => setOpen(undefined)} />
  const needle = foldTyped(wanted.trim())
  const found = [...view.members]
    .filter((each) => foldTyped(`${memberName(each)} ${each.username}`).includes(needle))
    .sort((a, b) => byName(memberName(a), memberName(b)))
  return (
    <Section title="Members" description="Nicknames, roles, timeouts, kicks and bans.">
      <input
        class="input"
        type="search"
        aria-label="Find a member"
        placeholder={`Search ${plural(view.members.length, 'member')} (bots included)`}
        value={wanted}
        onInput={(event) => setWanted(event.currentTarget.value)}
      />
      {found.length === 0 ? (
        <p class="rows-empty">No matching members.</p>
      ) : (
        <ul class="rows">
          {found.map((each) => (
            <MemberRow key={each.user_id} view={view} member={each} onOpen={() => setOpen(each.user_id)} />
          ))}
        </ul>
      )}
    </Section>
  )
}
