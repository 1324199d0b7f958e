import type { Author } from '@botwright/protocol'
import { useEffect, useState } from 'preact/hooks'
import { api } from '../state/api.ts'
import { Avatar } from '../components/avatar.tsx'
import { memberName } from '../state/names.ts'
import { addingPerson, signedIn, signIn } from './session.ts'
import { person } from '../state/store.ts'

/** The people to choose from, or the error if they cannot be listed. */
function useNames(): { names: Author[]; problem?: string } {
  const [found, setFound] = useState<{ names: Author[]; problem?: string }>({ names: [] })
  useEffect(() => {
    api.sessions.list().then(
      ({ people }) => setFound({ names: people }),
      (error: Error) => setFound({ names: [], problem: error.message }),
    )
  }, [])
  return found
}

/** Sign-in by name only: the service runs on this machine and has no passwords. */
export function SignIn() {
  const { names, problem } = useNames()
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const enter = async (username: string) => {
    setBusy(true)
    setError(await signIn(username))
    setBusy(false)
  }
  const back = addingPerson.value && person.value !== undefined
  const offered = names.filter((each) => !back || each.id !== person.value?.id)
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <span class="logo" aria-hidden="true" />
        <h1>{back ? 'Add another person' : 'Choose a name'}</h1>
        <p>
          {back
            ? 'Switch between people at the bottom of the sidebar.'
            : 'No password needed. Each window can be a different person, so you can talk to yourself and to your bot.'}
        </p>
        {offered.length > 0 && (
          <ul class="sign-in-names" aria-label="People">
            {offered.map((each) => (
              <li key={each.id}>
                <button type="button" class="person-chip" disabled={busy} onClick={() => void enter(each.username)}>
                  <Avatar id={each.id} name={memberName(each)} url={each.avatar_url} />
                  <span class="person-chip-text">
                    <span>{memberName(each)}</span>
                    {each.display_name !== null && <small>@{each.username}</small>}
                    {signedIn.value.some((one) => one.id === each.id) && <small>signed in</small>}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <form
          class="inline-form"
          onSubmit={(event) => {
            event.preventDefault()
            if (name.trim() !== '') void enter(name.trim())
          }}
        >
          <input
            class="input"
            aria-label="Your name"
            placeholder={offered.length > 0 ? 'Another name' : 'Your name'}
            autocomplete="off"
            spellcheck={false}
            autofocus
            value={name}
            aria-invalid={error === undefined ? undefined : true}
            aria-describedby="sign-in-error"
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <button type="submit" class="button button-primary" disabled={busy || name.trim() === ''}>
            Sign in
          </button>
        </form>
        <p id="sign-in-error" class="form-error" role="alert">
          {error ?? problem}
        </p>
        {back && (
          <button type="button" class="link-button" onClick={() => (addingPerson.value = false)}>
            Back to the chat
          </button>
        )}
      </div>
    </main>
  )
}
