export { ActionRow, actionStyles, Button, Components } from './lib/components.ts'
export { ChannelWebhookEmbed, Embed, embedCharacters, embedPictures, Embeds } from './lib/embed.ts'
export { endpoint } from './lib/endpoint.ts'
export type { AnswerOf, Endpoint, InputOf, Method, OutputOf, PathNames, RequestOf, Upload } from './lib/endpoint.ts'
export { channelWebhookEndpoints, endpoints, endpointsByName } from './lib/endpoints.ts'
export type { EndpointName, EndpointOf, Endpoints, Input, Output } from './lib/endpoints.ts'
export { imageTypes } from './lib/endpoints/bot.ts'
export {
  BotwrightError,
  ErrorBody,
  errorCodes,
  errorStatuses,
  WebhookErrorBody,
  webhookErrorCodes,
} from './lib/errors.ts'
export type { ErrorCode, ErrorStatus, WebhookErrorCode } from './lib/errors.ts'
export { explain } from './lib/explain.ts'
export { argsText, authorName, eventData, EventPage, eventTypes, PolledEvent, WebhookEvent } from './lib/events.ts'
export type { EventData, EventType } from './lib/events.ts'
export {
  characters,
  cut,
  cutText,
  Emoji,
  HttpsLink,
  Id,
  isEmoji,
  Link,
  QueryInteger,
  text,
  Time,
} from './lib/fields.ts'
export { limits } from './lib/limits.ts'
export type { RateLimit, RateLimitName } from './lib/limits.ts'
export { Callback, ChannelWebhookPost, hasContent, MessageCreate, MessageEdit } from './lib/messages.ts'
export * from './lib/resources.ts'
export { eventWebhookHeaders, signEventWebhook, verifyEventWebhook } from './lib/signature.ts'
