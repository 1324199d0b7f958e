import { useState } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { endSplit, ownHalf, startSplit } from '../../navigation/split-screen.ts'
import { Icon, type IconName } from '../../components/icons.tsx'
import { memberName } from '../../state/names.ts'
import { Popover } from '../../components/popover.tsx'
import { goTo } from '../../state/route.ts'
import { addingPerson, signedIn, signOut, switchTo } from '../../session/session.ts'
import { overlay, person } from '../../state/store.ts'
import { isDark, theme, toggleTheme } from '../../state/theme.ts'

type ItemProps = { icon: IconName; label: string; onClick: () => void }
const Item = ({ icon, label, onClick }: ItemProps) => (
  <button type="button" role="menuitem" class="menu-item" onClick={onClick}>
    <Icon name={icon} size={15} />
    {label}
  </button>
)

function PersonMenu({ onClose }: { onClose: () => void }) {
  const others = signedIn.value.filter((each) => each.id !== person.value?.id)
  const then = (act: () => void) => () => {
    onClose()
    act()
  }
  return (
    <Popover label="Your menu" role="menu" side="above" align="start" class="menu" onClose={onClose}>
      {others.map((each) => (
        <button key={each.id} type="button" role="menuitem" class="menu-item" onClick={then(() => void switchTo(each))}>
          <Avatar id={each.id} name={memberName(each)} url={each.avatar_url} size="small" />
          <span>
            Switch to <strong>{memberName(each)}</strong>
          </span>
        </button>
      ))}
      <Item icon="plus" label="Add another person" onClick={then(() => (addingPerson.value = true))} />
      <a class="menu-item" role="menuitem" href="/" target="_blank" rel="noopener" onClick={onClose}>
        <Icon name="window" size={15} />
        Open another window
      </a>
      {ownHalf === undefined ? (
        <Item icon="split" label="Split screen with a second person" onClick={then(startSplit)} />
      ) : (
        <Item icon="split" label="End the split screen" onClick={then(endSplit)} />
      )}
      <hr />
      <Item icon="edit" label="Your profile" onClick={then(() => goTo({ screen: 'profile' }))} />
      <Item icon="code" label="Developer" onClick={then(() => goTo({ screen: 'developer' }))} />
      <Item
        icon={isDark() ? 'sun' : 'moon'}
        label={isDark() ? 'Light colors' : 'Dark colors'}
        onClick={then(toggleTheme)}
      />
      <Item icon="question" label="Keyboard shortcuts" onClick={then(() => (overlay.value = { kind: 'shortcuts' }))} />
      <hr />
      <Item icon="leave" label="Sign out" onClick={then(() => signOut())} />
    </Popover>
  )
}

/** The signed-in person, at the bottom of the sidebar. */
export function SignedInPerson() {
  const [open, setOpen] = useState(false)
  const self = person.value
  void theme.value
  if (!self) return null
  const name = memberName(self)
  const detail = signedIn.value.length > 1 ? `1 of ${signedIn.value.length} people signed in` : `@${self.username}`
  return (
    <footer class="self">
      <span class="anchor self-anchor">
        <button
          type="button"
          class="self-button"
          aria-label={`${name} ${detail}: your menu`}
          aria-haspopup="menu"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Avatar id={self.id} name={name} url={self.avatar_url} presence={{ status: 'online', activity: null }} />
          <span class="self-text">
            <span class="self-name">{name}</span>
            <span class="self-detail">{detail}</span>
          </span>
          <Icon name="chevron" size={15} />
        </button>
        {open && <PersonMenu onClose={() => setOpen(false)} />}
      </span>
    </footer>
  )
}
