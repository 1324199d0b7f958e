import type { EndpointName } from '@botwright/protocol/shapes'
import { invalid, partsOf, plansOf, takesInput } from './request.ts'

/** Refuses what a call would refuse before anything is sent: `ERR_INVALID_REQUEST`, with the field. */
export async function checkCall(name: EndpointName, input: Record<string, unknown>): Promise<void> {
  const plan = plansOf('').get(name)
  if (plan === undefined) throw invalid(name, 'is no endpoint of the interface')
  const parts = partsOf(plan, input)
  if (!takesInput(plan)) return
  const { checkInput } = await import('./check-input.ts')
  checkInput(name, parts)
}
