import { foldTyped } from '@botwright/protocol/typed-text'
import { useEffect, useState } from 'preact/hooks'
import { loadOthers, openChannel, openDm, openServer } from '../state/actions.ts'
import { attempt } from '../state/toasts.ts'
import { Avatar, BotTag } from '../components/avatar.tsx'
import { Dialog } from '../components/dialog.tsx'
import { channelIcon, Icon, type IconName } from '../components/icons.tsx'
import { memberName } from '../state/names.ts'
import { overlay, person, place, servers, unread, views } from '../state/store.ts'
import { isComposing } from '../components/focus.ts'

type Goal = {
  key: string
  name: string
  detail: string
  icon?: IconName
  user?: { id: string; avatar_url: string | null; bot: boolean }
  unread: boolean
  go: () => Promise<unknown>
}

function goals(): Goal[] {
  const found: Goal[] = []
  const people = new Map<string, Goal>()
  for (const { server, channels, members } of Object.values(views.value)) {
    for (const each of channels.filter((one) => one.type === 'text')) {
      found.push({
        key: each.id,
        name: each.name,
        detail: server.name,
        icon: channelIcon(each),
        unread: unread.value[each.id] !== undefined,
        go: () => openChannel(server.id, each.id),
      })
    }
    for (const each of members.filter((one) => one.user_id !== person.value?.id)) {
      people.set(each.user_id, {
        key: each.user_id,
        name: memberName(each),
        detail: `@${each.username}`,
        user: { id: each.user_id, avatar_url: each.avatar_url, bot: each.bot },
        unread: false,
        go: () => openDm(each.user_id),
      })
    }
  }
  const others = servers.value.filter((each) => each.id !== place.value.serverId)
  const rooms = others.map((each): Goal => {
    return {
      key: each.id,
      name: each.name,
      detail: 'server',
      icon: 'window',
      unread: false,
      go: () => openServer(each.id),
    }
  })
  return [...found, ...people.values(), ...rooms]
}

/** Ranks a match, best first: start of the name, start of a word, substring, letters in order. */
function rank(goal: Goal, query: string): number {
  const name = foldTyped(goal.name)
  if (name.startsWith(query)) return 0
  if (name.split(/[\s_-]/).some((word) => word.startsWith(query))) return 1
  if (name.includes(query) || foldTyped(goal.detail).includes(query)) return 2
  let at = 0
  for (const letter of name) if (letter === query[at]) at++
  return at === query.length ? 3 : Number.POSITIVE_INFINITY
}

const shownGoals = 12
function matching(typed: string): Goal[] {
  const sign = /^[@#]/.exec(typed)?.[0]
  const query = foldTyped(typed.replace(/^[@#]/, '').trim())
  const all = goals().filter((each) => (sign === '#' ? !each.user : sign === '@' ? each.user : true))
  const ranked = all.map((goal) => ({ goal, at: query === '' ? (goal.unread ? 0 : 1) : rank(goal, query) }))
  return ranked
    .filter(({ at }) => at !== Number.POSITIVE_INFINITY)
    .sort((a, b) => a.at - b.at)
    .slice(0, shownGoals)
    .map(({ goal }) => goal)
}

/** The Ctrl-K dialog: type a few letters of a channel, person or server and press Enter to go there. */
export function Switcher() {
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const list = matching(typed)
  const at = Math.min(active, list.length - 1)
  const close = () => (overlay.value = undefined)
  const go = (goal: Goal | undefined) => {
    if (!goal) return
    close()
    void attempt(goal.go)
  }
  // Load the servers that were not opened yet, so that their channels are found too.
  useEffect(() => void loadOthers(), [])
  return (
    <Dialog title="Go to" bare onClose={close}>
      <div class="switcher">
        <input
          class="switcher-input"
          role="combobox"
          aria-label="Channel, person or server"
          aria-expanded="true"
          aria-controls="switcher-list"
          aria-activedescendant={list[at] && `switcher-${at}`}
          placeholder="Where to? #channel, @person or server"
          autofocus
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value)
            setActive(0)
          }}
          onKeyDown={(event) => {
            if (isComposing(event)) return
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
            if (step !== undefined) setActive((at + step + list.length) % Math.max(1, list.length))
            else if (event.key === 'Enter') go(list[at])
            else return
            event.preventDefault()
          }}
        />
        <ul id="switcher-list" role="listbox" aria-label="Places">
          {list.map((goal, index) => (
            <li
              key={goal.key}
              id={`switcher-${index}`}
              role="option"
              aria-selected={index === at}
              class={goal.unread ? 'is-unread' : ''}
              onPointerMove={() => setActive(index)}
              onClick={() => go(goal)}
            >
              {goal.icon && <Icon name={goal.icon} />}
              {goal.user && <Avatar id={goal.user.id} name={goal.name} url={goal.user.avatar_url} size="small" />}
              <span class="switcher-name" dir="auto">
                {goal.name}
              </span>
              {goal.user?.bot && <BotTag />}
              <span class="switcher-detail">{goal.detail}</span>
            </li>
          ))}
        </ul>
        {list.length === 0 && <p class="switcher-none">No results for “{typed}”</p>}
      </div>
    </Dialog>
  )
}
