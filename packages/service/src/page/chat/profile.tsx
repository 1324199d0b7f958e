import type { PublicProfile } from '@botwright/protocol'
import { useEffect, useState } from 'preact/hooks'
import { openDm } from '../state/actions.ts'
import { api } from '../state/api.ts'
import { Avatar, BotTag } from '../components/avatar.tsx'
import { Dialog } from '../components/dialog.tsx'
import { authorOf, memberName } from '../state/names.ts'
import { Picture } from '../components/picture.tsx'
import { goTo } from '../state/route.ts'
import { overlay, person, presences, view } from '../state/store.ts'
import { attempt } from '../state/toasts.ts'
import { longTime } from '../state/time.ts'

const words = { online: 'Online', idle: 'Idle', dnd: 'Do not disturb', offline: 'Offline' }
const close = (): void => {
  overlay.value = undefined
}

function Facts({ userId, profile }: { userId: string; profile: PublicProfile | undefined }) {
  const self = userId === person.value?.id
  const member = view.value?.members.find((each) => each.user_id === userId)
  const roles = view.value?.roles.filter((each) => member?.roles.includes(each.id)) ?? []
  const commands = view.value?.bots.find((each) => each.id === userId)?.commands ?? []
  return (
    <>
      {profile !== undefined && profile.bio !== '' && (
        <p class="profile-bio" dir="auto">
          {profile.bio}
        </p>
      )}
      {roles.length > 0 && (
        <ul class="profile-roles" aria-label="Roles">
          {roles.map((each) => (
            <li key={each.id}>
              <span class="role-dot" style={{ background: each.color ?? 'var(--text-3)' }} />
              {each.name}
            </li>
          ))}
        </ul>
      )}
      {commands.length > 0 && (
        <p class="profile-commands">
          {commands.slice(0, 12).map((each) => (
            <code key={each.name} title={each.description}>
              /{each.name}
            </code>
          ))}
        </p>
      )}
      {member && <p class="profile-note">Joined {longTime(member.joined_at)}</p>}
      <div class="dialog-actions">
        <button type="button" class="button button-secondary" onClick={close}>
          Close
        </button>
        <button
          type="button"
          class="button button-primary"
          onClick={() => {
            close()
            if (self) goTo({ screen: 'profile' })
            else void openDm(userId)
          }}
        >
          {self ? 'Edit profile' : 'Message'}
        </button>
      </div>
    </>
  )
}

/** The profile of a user; the person's own profile links to the editor. */
export function Profile({ userId }: { userId: string }) {
  const [profile, setProfile] = useState<PublicProfile>()
  const author = authorOf(userId)
  const name = memberName(author)
  const { status, activity } = presences.value[userId] ?? { status: 'offline', activity: null }
  useEffect(() => {
    void attempt(async () => setProfile(await api.users.get({ user_id: userId })))
  }, [userId])
  return (
    <Dialog title={name} bare onClose={close}>
      <div class="profile">
        <div class="profile-banner">
          {profile?.banner_url && <Picture class="profile-banner-picture" url={profile.banner_url} alt="" />}
        </div>
        <Avatar id={userId} name={name} url={author.avatar_url} size="huge" presence={{ status, activity }} />
        <h2>
          <bdi>{name}</bdi> {author.bot && <BotTag />}
        </h2>
        <p class="profile-note">
          @{author.username} · {words[status]}
          {activity !== null && activity !== '' && ` · ${activity}`}
        </p>
        <Facts userId={userId} profile={profile} />
      </div>
    </Dialog>
  )
}
