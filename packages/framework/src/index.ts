export { BotwrightError, raw, sameEmoji } from '@botwright/protocol/facts'
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
} from './author/answer.ts'
export {
  arg,
  misfit,
  type Arg,
  type ArgOptions,
  type ArgPlace,
  type ArgsOf,
  type ArgsShape,
  type Fits,
} from './author/args/arg.ts'
export { boolean, integer, list, number, oneOf, rest, text, uuid } from './features/arguments/kinds.ts'
export { channel, role, user } from './features/mentions/mentions.ts'
export { date, duration, type DateArg, type DateOptions, type DurationArg } from './features/moments/moments.ts'
export { value, type ValueOptions } from './features/arguments/value.ts'
export {
  pages,
  type PageMessage,
  type PageOfLines,
  type PageRequest,
  type Pages,
  type PagesOptions,
} from './features/pages/pages.ts'
export { button, type ButtonOptions, type ParamButton, type PlainButton } from './author/button.ts'
export type { Face, LinkFace } from './author/buttons/face.ts'
export { escape, type EscapeOptions } from './features/message-parts/escape.ts'
export { embed, row, type Card } from './features/message-parts/message-parts.ts'
export { commandTools } from './features/models/command-tools.ts'
export { messagesForModel, type ModelMessage, type ModelMessagesOptions } from './features/models/model-messages.ts'
export type { CommandTool, CommandToolsOptions, ToolResult, ToolSchema } from './author/tools.ts'
export { helpText } from './features/help/help-text.ts'
export { command, type CommandDefinition, type CommandOptions } from './author/command.ts'
export { defineConfig, type Config, type ConfigInput } from './author/config/config.ts'
export { readConfig } from './runtime/config/read-config.ts'
export type { AsClick, AsCommand, ButtonContext, Click, Context, Person } from './author/context.ts'
export type { AnyContext, LifecycleContext } from './author/context.ts'
export type { EventContexts, EventName } from './features/event-files/event-contexts.ts'
export type { EnvOf, EnvSchema } from './author/env-schema.ts'
export type { EventContext } from './author/context.ts'
export type { CommandContext, MessageContext } from './author/context.ts'
export { onDispose } from './bot/dispose/on-dispose.ts'
export { durationText, type Duration } from './author/time/duration.ts'
export type { GatherOptions } from './author/definition.ts'
export { event, type EventDefinition, type EventOptions } from './features/event-files/event.ts'
export type { ErrorContext, Failure, FailureKind } from './features/errors/failure.ts'
export type { TextMatch } from './author/definition.ts'
export { directMessage, emoji, from, inChannel, mentioned } from './features/event-files/guards.ts'
export { allOf, anyOf, not } from './features/guards/combine.ts'
export { cooldown, type CooldownOptions } from './features/cooldowns/cooldown.ts'
export type { PassedCooldowns } from './author/passed-cooldowns.ts'
export {
  guard,
  type DmGuard,
  type Guard,
  type GuardOptions,
  type RefusalText,
  type ServerGuard,
} from './author/guards/guard.ts'
export {
  botHasPermission,
  dmOnly,
  hasPermission,
  hasRole,
  ownerOnly,
  type PermissionName,
  serverOnly,
} from './features/roles/role-guards.ts'
export { loadBot } from './bot/load/load-bot.ts'
export { discover } from './author/files/manifest.ts'
export {
  middleware,
  type MiddlewareDefinition,
  type MiddlewareOptions,
  type MiddlewareRun,
} from './author/middleware.ts'
export type { ArgParam } from './features/arguments/composed.ts'
export type { Param, ParamsGiven, ParamsOf, ParamsShape } from './author/params/packing.ts'
export { context, type Additions, type ContextDefinition, type MountedPlugin } from './author/plugins/context.ts'
export { mountPlugins, type FoundPlugin } from './features/plugins/mount.ts'
export {
  plugin,
  pluginsOf,
  type Plugin,
  type PluginData,
  type PluginOptions,
  type PluginProblem,
  type PluginUse,
} from './author/plugins/plugin.ts'
export type * from './author/files/entries.ts'
export type * from './author/ports.ts'
export type * from './link/ports.ts'
export type * from './bot/host.ts'
export type * from './author/register.ts'
export { keyValueStore, type KeyValueStorage } from './features/key-value-stores/key-value-store.ts'
export { MemoryStore } from './author/state/memory-store.ts'
export type { HasState, State, StateOptions } from './features/state/owned-state.ts'
export type { KeyedEntry, KeyedState, KeyFilter, KeyListOptions, KeyOptions } from './features/state/keyed-state.ts'
export { state } from './features/state/state.ts'
export type { StateArea, StateAreas } from './author/state/areas.ts'
export type { Cell, Change, ChangeWith, Outcome as ChangeOutcome, WriteOptions } from './author/state/cell.ts'
export type { ListOptions, StateEntry, TopOptions } from './features/state/list.ts'
export type { OnceOptions } from './author/state/once.ts'
export type { Schema } from './author/state/schema.ts'
export type { AnyScope, Owner, Scope } from './author/state/scope.ts'
export {
  bearer,
  header,
  hmac,
  route,
  type RouteContext,
  type RouteDefinition,
  type RouteFacts,
  type RouteOptions,
  type RouteRequest,
  type Verify,
} from './features/routes/route.ts'
export { resource, type Resource, type ResourceContext, type ResourceOptions } from './features/resources/resource.ts'
export { type RetryOptions, task, type TaskDefinition, type TaskOptions } from './features/tasks/task.ts'
export type { TaskContext } from './author/context.ts'
export type { Scheduled, ScheduledId, When } from './author/schedule.ts'
export { languageChain, type OwnTexts, type Reader, type TextSource } from './author/texts/words.ts'
export type { Phrase, Text, Words } from './author/texts/words.ts'
export { isTimezone, type Timezone, timezoneOf } from './author/time/timezone.ts'
export { choice } from './author/buttons/face.ts'
export type { AskOptions, ClickOptions } from './author/ask-options.ts'
export type { EphemeralMessage, Outgoing, OutgoingEphemeral } from './author/outgoing.ts'
export type { Broadcast, BroadcastOptions, BroadcastProgress } from './author/sending/broadcast.ts'
export type { BudgetMeter } from './author/ports.ts'
export { channelWebhook, type ChannelWebhook } from './features/channel-webhooks/channel-webhook.ts'
export type { Purged, PurgeOptions } from './author/sending/purge.ts'
export type { Streamed, StreamOptions } from './author/sending/stream.ts'
