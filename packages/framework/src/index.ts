export { BotwrightError, raw } from '@botwright/protocol/facts'
export type {
  ActionRow,
  Button,
  Embed,
  ErrorCode,
  Message,
  MessageCreate,
  MessageEdit,
} from '@botwright/protocol/shapes'
export type {
  Answer,
  AnswerMessage,
  Done,
  NoMessage,
  Nothing,
  PostedMessage,
  TextOrMessageOrNothing,
} from './lib/answer.ts'
export {
  arg,
  misfit,
  type Arg,
  type ArgOptions,
  type ArgPlace,
  type ArgsOf,
  type ArgsShape,
  type Fits,
} from './lib/args/arg.ts'
export { boolean, integer, list, number, oneOf, rest, text, uuid } from './lib/args/kinds.ts'
export { channel, role, user } from './lib/args/mentions.ts'
export { date, duration, type DateArg, type DateOptions, type DurationArg } from './lib/args/moments.ts'
export { value, type ValueOptions } from './lib/args/value.ts'
export { button, type ButtonOptions, type ParamButton, type PlainButton } from './lib/buttons/button.ts'
export type { Face, LinkFace } from './lib/buttons/face.ts'
export { escape, type EscapeOptions } from './lib/sending/escape.ts'
export { embed, row, type Card } from './lib/buttons/message-parts.ts'
export { helpText } from './lib/commands/help-text.ts'
export { command, type CommandDefinition, type CommandOptions } from './lib/command.ts'
export { defineConfig, readConfig, type Config, type ConfigInput } from './lib/config.ts'
export type { ButtonContext } from './lib/context/button-context.ts'
export type { AsClick, AsCommand, Click, Context, Person } from './lib/context/context.ts'
export type { AnyContext, EventContexts, EventName, LifecycleContext } from './lib/context/contexts.ts'
export type { EnvOf, EnvSchema } from './lib/environment/env-schema.ts'
export type { EventContext } from './lib/context/event-context.ts'
export type { CommandContext, MessageContext } from './lib/context/message-context.ts'
export { onDispose } from './lib/dispose/on-dispose.ts'
export { durationText, type Duration } from './lib/duration.ts'
export { event, type EventDefinition, type EventOptions } from './lib/event.ts'
export { allOf, anyOf, not } from './lib/guards/combine.ts'
export { cooldown, type CooldownOptions } from './lib/guards/cooldown.ts'
export type { PassedCooldowns } from './lib/guards/passed-cooldowns.ts'
export {
  guard,
  type DmGuard,
  type Guard,
  type GuardOptions,
  type RefusalText,
  type ServerGuard,
} from './lib/guards/guard.ts'
export type { PermissionName } from './lib/guards/role-book.ts'
export { dmOnly, hasPermission, hasRole, ownerOnly, serverOnly } from './lib/guards/where-and-who.ts'
export { loadBot } from './lib/load-bot.ts'
export { discover } from './lib/manifest.ts'
export { middleware, type MiddlewareDefinition, type MiddlewareOptions, type MiddlewareRun } from './lib/middleware.ts'
export type { ArgParam } from './lib/params/composed.ts'
export type { Param, ParamsGiven, ParamsOf, ParamsShape } from './lib/params/packing.ts'
export { context, type Additions, type ContextDefinition, type MountedPlugin } from './lib/plugins/context-additions.ts'
export { mountPlugins, type FoundPlugin } from './lib/plugins/mount.ts'
export {
  plugin,
  pluginsOf,
  type Plugin,
  type PluginData,
  type PluginOptions,
  type PluginProblem,
  type PluginUse,
} from './lib/plugins/plugin.ts'
export type * from './lib/ports.ts'
export type * from './lib/register.ts'
export { keyValueStore, type KeyValueStorage } from './lib/state/key-value-store.ts'
export { MemoryStore } from './lib/state/memory-store.ts'
export { state, type HasState, type State, type StateOptions } from './lib/state/state.ts'
export type { StateArea, StateAreas } from './lib/state/areas.ts'
export type { Cell, Change, ChangeWith, Outcome as ChangeOutcome, WriteOptions } from './lib/state/cell.ts'
export type { ListOptions, StateEntry, TopOptions } from './lib/state/list.ts'
export type { OnceOptions } from './lib/state/once.ts'
export type { Schema } from './lib/state/schema.ts'
export type { Owner, Scope } from './lib/state/scope.ts'
export { task, type TaskDefinition, type TaskOptions } from './lib/tasks/task.ts'
export type { TaskContext } from './lib/tasks/task-context.ts'
export type { Scheduled, ScheduledId, When } from './lib/tasks/timers.ts'
export { languageChain, type OwnTexts, type Reader, type TextSource } from './lib/texts/words.ts'
export type { Phrase, Text, Words } from './lib/texts/words.ts'
export { isTimezone, type Timezone, timezoneOf } from './lib/timezone.ts'
export { choice } from './lib/conversation/choice.ts'
export type { AskOptions, ClickOptions } from './lib/conversation/options.ts'
export type { EphemeralMessage, Outgoing, OutgoingEphemeral } from './lib/reply.ts'
export type { Broadcast, BroadcastOptions } from './lib/sending/broadcast.ts'
export type { BroadcastProgress } from './lib/sending/broadcast-job.ts'
export type { BudgetMeter } from './lib/sending/budget-meter.ts'
export { channelWebhook, type ChannelWebhook } from './lib/sending/channel-webhook.ts'
export type { Purged, PurgeOptions } from './lib/sending/purge.ts'
