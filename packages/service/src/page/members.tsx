import type { PeopleMember } from '../people.ts'
import { openDm } from './actions.ts'
import { Avatar, BotTag } from './avatar.tsx'
import { nameStyle, memberName } from './names.ts'
import { person, view } from './store.ts'

const words = { online: 'online', idle: 'idle', dnd: 'do not disturb', offline: 'offline' }

function Member({ member }: { member: PeopleMember }) {
  const name = memberName(member)
  const self = member.user_id === person.value?.id
  const { status, activity } = member.presence
  return (
    <li>
      <button
        type="button"
        class={status === 'offline' ? 'member is-offline' : 'member'}
        aria-label={`${name}${member.bot ? ', bot' : ''}, ${words[status]}${self ? '' : ': write a direct message'}`}
        disabled={self}
        onClick={() => void openDm(member.user_id)}
      >
        <Avatar id={member.user_id} name={name} url={member.avatar_url} presence={member.presence} />
        <span class="member-text">
          <span class="member-name">
            <span {...nameStyle(member.user_id)}>{name}</span>
            {member.bot && <BotTag />}
            {self && <span class="you">you</span>}
          </span>
          {activity !== null && activity !== '' && <span class="activity">{activity}</span>}
        </span>
      </button>
    </li>
  )
}

/** The members of the server: bots, who is here, who is not. */
export function Members() {
  const all = [...(view.value?.members ?? [])].sort((a, b) => memberName(a).localeCompare(memberName(b)))
  const groups = [
    { title: 'Bots', list: all.filter((each) => each.bot) },
    { title: 'Online', list: all.filter((each) => !each.bot && each.presence.status !== 'offline') },
    { title: 'Offline', list: all.filter((each) => !each.bot && each.presence.status === 'offline') },
  ]
  return (
    <aside class="members" id="members" aria-label="Members">
      {groups.map(
        ({ title, list }) =>
          list.length > 0 && (
            <section key={title} class="group" aria-label={title}>
              <h3>
                {title} <span class="group-count">{list.length}</span>
              </h3>
              <ul>
                {list.map((each) => (
                  <Member key={each.user_id} member={each} />
                ))}
              </ul>
            </section>
          ),
      )}
    </aside>
  )
}
