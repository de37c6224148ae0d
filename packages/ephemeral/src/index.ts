export { type EphemeralOptions, ephemeral } from './ephemeral.ts';
