import type { EndpointName } from '@botwright/protocol/shapes'
import { partsOf, planOf, takesInput } from './request.ts'

/** Throws `ERR_INVALID_REQUEST` with the field if a call would fail before being sent. */
export async function checkCall(name: EndpointName, input: Record<string, unknown>): Promise<void> {
  const plan = planOf(name, '')
  const parts = partsOf(plan, input)
  if (!takesInput(plan)) return
  const { checkInput } = await import('./check-input.ts')
  checkInput(name, parts)
}
