// A process of its own that measures one part in one pass.
import { measurePart } from './part.ts';
import { serve } from './process.ts';

serve(measurePart);
