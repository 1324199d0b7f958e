import { Icon } from './icons.tsx'
import { connection } from './store.ts'

/** Says that the service is gone, and that it is back. */
export function ConnectionBanner() {
  const state = connection.value
  return (
    <div role="status" class={state === 'open' ? 'visually-hidden' : `connection is-${state}`}>
      {state === 'lost' && (
        <>
          <span class="spinner" aria-hidden="true" />
          Connection lost. Connecting again… What you see may be out of date.
        </>
      )}
      {state === 'restored' && (
        <>
          <Icon name="check" size={15} />
          Connected again.
        </>
      )}
    </div>
  )
}
