import { Icon } from './icons.tsx'
import { connection } from './store.ts'

/** Shows that the connection is lost, and that it is back. */
export function ConnectionBanner() {
  const state = connection.value
  return (
    <div role="status" class={state === 'open' ? 'visually-hidden' : `connection is-${state}`}>
      {state === 'lost' && (
        <>
          <span class="spinner" aria-hidden="true" />
          Connection lost. Reconnecting… What you see may be out of date.
        </>
      )}
      {state === 'restored' && (
        <>
          <Icon name="check" size={15} />
          Reconnected.
        </>
      )}
    </div>
  )
}
