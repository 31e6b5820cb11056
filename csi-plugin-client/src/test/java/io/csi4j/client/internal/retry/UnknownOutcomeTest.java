package io.csi4j.client.internal.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import org.junit.jupiter.api.Test;

/** The calls that may follow a call with an unknown outcome (R30). */
class UnknownOutcomeTest {
    private static final PlainCall PUBLISH = PlainCall.of(Rpc.NODE_PUBLISH_VOLUME, "v", "/1");
    private static final PlainCall PUBLISH_ELSEWHERE = PlainCall.of(Rpc.NODE_PUBLISH_VOLUME, "v", "/2");
    private static final PlainCall UNPUBLISH = PlainCall.of(Rpc.NODE_UNPUBLISH_VOLUME, "v", "/1");
    private static final PlainCall UNPUBLISH_ELSEWHERE = PlainCall.of(Rpc.NODE_UNPUBLISH_VOLUME, "v", "/2");
    private static final PlainCall UNPUBLISH_EVERYWHERE = PlainCall.of(Rpc.NODE_UNPUBLISH_VOLUME, "v", "");
    private static final PlainCall UNSTAGE = PlainCall.of(Rpc.NODE_UNSTAGE_VOLUME, "v", "/1");
    private static final PlainCall STATS = PlainCall.of(Rpc.NODE_GET_VOLUME_STATS, "v", "/1");
    private static final PlainCall EXPAND = PlainCall.of(Rpc.NODE_EXPAND_VOLUME, "v", "/1");

    @Test
    void callMayBeRepeatedOrUndoneAtItsLocation() {
        UnknownOutcome published = UnknownOutcome.of(PUBLISH, 7);
        assertThat(published)
                .isEqualTo(new UnknownOutcome(
                        Rpc.NODE_PUBLISH_VOLUME, "/1", PUBLISH.identity(), PUBLISH.description(), 7));

        assertThat(published.allows(PUBLISH)).isTrue();
        assertThat(published.allows(UNPUBLISH)).isTrue();
        assertThat(published.allows(UNPUBLISH_EVERYWHERE)).isTrue();
        assertThat(published.allows(STATS)).isTrue();
        assertThat(published.allows(PUBLISH_ELSEWHERE)).isFalse();
        assertThat(published.allows(UNPUBLISH_ELSEWHERE)).isFalse();
        assertThat(published.allows(UNSTAGE)).isFalse();
        assertThat(published.allows(EXPAND)).isFalse();

        assertThat(published.sameAs(PUBLISH)).isTrue();
        assertThat(published.sameAs(new PlainCall(Rpc.NODE_STAGE_VOLUME, "v", "/1", PUBLISH.identity())))
                .isFalse();
        assertThat(published.sameAs(PUBLISH_ELSEWHERE)).isFalse();

        assertThat(published.undoneBy(UNPUBLISH)).isTrue();
        assertThat(published.undoneBy(UNPUBLISH_EVERYWHERE)).isTrue();
        assertThat(published.undoneBy(UNPUBLISH_ELSEWHERE)).isFalse();
        assertThat(published.undoneBy(PUBLISH)).isFalse();
        assertThat(published.undoneBy(UNSTAGE)).isFalse();
    }

    @Test
    void useOfVolumeMayEndWhileOutcomeOfCallThatNoRpcUndoesIsUnknown() {
        UnknownOutcome expanded = UnknownOutcome.of(EXPAND, 0);
        assertThat(expanded.allows(EXPAND)).isTrue();
        assertThat(expanded.allows(UNPUBLISH_ELSEWHERE)).isTrue();
        assertThat(expanded.allows(UNSTAGE)).isTrue();
        assertThat(expanded.allows(PlainCall.of(Rpc.DELETE_VOLUME, "v", ""))).isTrue();
        assertThat(expanded.allows(PUBLISH)).isFalse();
        assertThat(expanded.allows(PlainCall.of(Rpc.NODE_EXPAND_VOLUME, "v", "/2")))
                .isFalse();
        assertThat(expanded.undoneBy(UNPUBLISH)).isFalse();
    }

    @Test
    void onlyChangeWithoutNameLeavesUnknownOutcome() {
        assertThat(UnknownOutcome.possible(Rpc.NODE_PUBLISH_VOLUME)).isTrue();
        assertThat(UnknownOutcome.possible(Rpc.DELETE_VOLUME)).isTrue();
        assertThat(UnknownOutcome.possible(Rpc.CREATE_VOLUME)).isFalse();
        assertThat(UnknownOutcome.possible(Rpc.NODE_GET_VOLUME_STATS)).isFalse();
    }
}
