import type { PlantedFault } from './planted-fault.ts'

const routes = 'framework/src/features/routes'

/** The faults that the plays of the third bot find. */
export const webFaults: readonly PlantedFault[] = (
  [
    {
      name: 'a request is accepted before it is stored',
      file: `${routes}/routes.ts`,
      from: 'await this.#runner.requests.add(',
      to: 'void this.#runner.requests.add(',
    },
    {
      name: 'the id of a request that has run is forgotten',
      file: `${routes}/stored-requests.ts`,
      from: 'if (id !== undefined) await this.#store.set(id, done, {',
      to: 'if (id === undefined) await this.#store.set(key, done, {',
    },
    {
      name: 'requests of one key run at the same time',
      file: `${routes}/request-runner.ts`,
      from: 'if (this.#isBehind(key, value, rows)) return',
      to: 'if (this.#isBehind(key, value, [])) return',
    },
    {
      name: 'the signature of a request is not compared',
      file: `${routes}/verify-request.ts`,
      from: 'return isSame(given?.startsWith',
      to: 'return given !== undefined || isSame(given?.startsWith',
    },
    {
      name: 'a failed request is set aside at once',
      file: `${routes}/request-runner.ts`,
      from: 'isFinal || !route.retry ? undefined : waitsMs[failures - 1]',
      to: 'isFinal || route.retry ? undefined : waitsMs[failures - 1]',
    },
    {
      name: 'an interrupted request does not run again',
      file: `${routes}/request-runner.ts`,
      from: "if (state === 'running' && (await this.rows.isActive(key, value)))",
      to: "if (state === 'running')",
    },
    {
      name: 'an interrupted request is not marked',
      file: `${routes}/request-runner.ts`,
      from: "const delivery = ownDelivery('route', work, clock.now(), failures > 0)",
      to: "const delivery = ownDelivery('route', work, clock.now(), failures < 0)",
    },
    {
      name: 'the end of a stream is not shown',
      file: 'framework/src/features/streams/stream.ts',
      from: "await shown.show(pages.all(isWhole ? '' : ELLIPSIS), false)",
      to: 'if (!isWhole) await shown.show(pages.all(ELLIPSIS), false)',
    },
    {
      name: 'a stream shows half characters',
      file: 'framework/src/features/streams/pages.ts',
      from: "this.#half = /[\\ud800-\\udbff]$/.exec(all)?.[0] ?? ''",
      to: "this.#half = ''",
    },
    {
      name: 'anyone may decide a request',
      file: 'framework/src/features/durable/runs/approve.ts',
      from: 'admits: (one) => isAllowed(one as ButtonContext, guards, root),',
      to: 'admits: async () => root !== undefined && guards.length > 0,',
    },
    {
      name: 'a request that is too old keeps its buttons',
      file: 'framework/src/features/durable/runs/approve.ts',
      from: 'await ctx.edit(asked, { content: text, components: null }).catch(() => undefined)',
      to: 'void text',
    },
    {
      name: 'anyone turns the pages of a person',
      file: 'framework/src/features/pages/page-turner.ts',
      from: 'if (by !== undefined && by !== ctx.user.id) {',
      to: "if (by === '') {",
    },
    {
      name: 'each button of a list leads to its first page',
      file: 'framework/src/features/pages/page-turner.ts',
      from: 'const shown = await this.#load(ctx, params, page)',
      to: 'const shown = await this.#load(ctx, params, Math.min(1, page))',
    },
    {
      name: 'the work of a command that a model calls has another key when it runs again',
      file: 'framework/src/features/models/run-tool.ts',
      from: 'tool ${call ?? number}`',
      to: 'tool ${call ?? number} ${Math.random()}`',
    },
    {
      name: 'handlers that are switched off begin all the same',
      file: 'framework/src/features/switches/off-guards.ts',
      from: 'if (!found || (runs',
      to: 'if (found || (runs',
    },
    {
      name: 'a route that is switched off accepts requests',
      file: `${routes}/routes.ts`,
      from: 'if (await this.#host.switches.isOff(route.name))',
      to: "if (await this.#host.switches.isOff(''))",
    },
    {
      name: 'the switches are not read at the start',
      file: 'framework/src/features/switches/stored-switches.ts',
      from: 'if (this.#host.isShared) this.refreshed =',
      to: 'if (!this.#host.isShared) this.refreshed =',
    },
    {
      name: 'a post of unknown outcome is sent again',
      file: 'rest/src/lib/channel-webhook.ts',
      from: 'repeatable: post === undefined,',
      to: 'repeatable: true,',
    },
    {
      name: 'the posts of a channel webhook do not count',
      file: 'rest/src/lib/channel-webhook.ts',
      from: 'budget.release(hasLeft())',
      to: 'budget.release(false)',
    },
  ] satisfies PlantedFault[]
).map((fault) => ({ ...fault, bot: 'web' }))
