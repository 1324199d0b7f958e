import { openServer } from '../state/actions.ts'
import { closeScreen } from '../state/route.ts'
import { place, servers } from '../state/store.ts'
import { attempt } from '../state/toasts.ts'

/** Removes a server that the person has left, and shows another one. */
export function leftServer(serverId: string): void {
  servers.value = servers.value.filter((each) => each.id !== serverId)
  if (place.value.serverId === serverId) {
    place.value = { serverId: undefined, channelId: undefined }
    const next = servers.value[0]
    if (next) void attempt(() => openServer(next.id))
  }
  closeScreen()
}
