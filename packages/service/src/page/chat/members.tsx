import type { PeopleMember } from '../../people.ts'
import { Avatar, BotTag } from '../components/avatar.tsx'
import { byName, memberName, nameStyle } from '../state/names.ts'
import { overlay, person, presences, view } from '../state/store.ts'

const words = { online: 'online', idle: 'idle', dnd: 'do not disturb', offline: 'offline' }

function Member({ member }: { member: PeopleMember }) {
  const name = memberName(member)
  const self = member.user_id === person.value?.id
  const presence = presences.value[member.user_id] ?? member.presence
  const { status, activity } = presence
  return (
    <li>
      <button
        type="button"
        class={status === 'offline' ? 'member is-offline' : 'member'}
        onClick={() => (overlay.value = { kind: 'profile', userId: member.user_id })}
      >
        <Avatar id={member.user_id} name={name} url={member.avatar_url} presence={presence} />
        <span class="member-text">
          <span class="member-name">
            <span {...nameStyle(member.user_id)} dir="auto">
              {name}
            </span>
            {member.bot && <BotTag />}
            {self && <span class="you">you</span>}
          </span>
          <span class="visually-hidden">{words[status]}</span>
          {activity !== null && activity !== '' && <span class="activity">{activity}</span>}
        </span>
      </button>
    </li>
  )
}

/** The members of the server: bots, people online, people offline. */
export function Members() {
  const all = [...(view.value?.members ?? [])].sort((a, b) => byName(memberName(a), memberName(b)))
  const isOffline = (member: PeopleMember) => (presences.value[member.user_id] ?? member.presence).status === 'offline'
  const groups = [
    { title: 'Bots', list: all.filter((each) => each.bot) },
    { title: 'Online', list: all.filter((each) => !each.bot && !isOffline(each)) },
    { title: 'Offline', list: all.filter((each) => !each.bot && isOffline(each)) },
  ]
  return (
    <aside class="members" id="members" aria-label="Members">
      {groups.map(
        ({ title, list }) =>
          list.length > 0 && (
            <section key={title} class="group" aria-label={title}>
              <h2>
                {title} <span class="group-count">{list.length}</span>
              </h2>
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
