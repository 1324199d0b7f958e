import { closeServer, openServer } from '../state/actions.ts'
import { closeScreen } from '../state/route.ts'
import { servers } from '../state/store.ts'
import { attempt } from '../state/toasts.ts'

/** Removes a server that the person has left, and shows another one. */
export function leftServer(serverId: string): void {
  servers.value = servers.value.filter((each) => each.id !== serverId)
  const [next] = servers.value
  if (closeServer(serverId) && next) void attempt(() => openServer(next.id))
  closeScreen()
}
