package io.csi4j.core.metadata;

import java.util.List;
import java.util.Objects;

/**
 * One page of a snapshot's metadata: the first messages of the plugin's stream, beginning at the requested offset.
 *
 * @param messages the messages in order; together they contain at least one range, unless the page is complete
 * @param complete whether the stream ended with these messages; otherwise the next page begins at the end of the last
 *     range (R102)
 * @param <R> the type of the messages
 */
public record MetadataPage<R>(List<R> messages, boolean complete) {
    /** Copies the list, so that later changes of the caller's list have no effect. */
    public MetadataPage {
        messages = List.copyOf(Objects.requireNonNull(messages, "messages"));
    }
}
