package io.csi4j.core.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.spi.AccessDeniedException;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class FailureNameTest {
    private final CsiCallException call = new CsiCallException(
            Rpc.LIST_VOLUMES,
            "ebs",
            null,
            StatusCode.INTERNAL,
            CallOutcome.of(Rpc.LIST_VOLUMES, StatusCode.INTERNAL, false),
            "a text of the plugin",
            null);

    @Test
    void failureOfOwnClassIsNamedInWordsAndOtherByItsClass() {
        assertThat(FailureName.of(new AccessDeniedException("user", "a secret")))
                .isEqualTo("access denied");
        assertThat(FailureName.of(new IOException("a secret"))).isEqualTo("java.io.IOException");
        assertThat(FailureName.of(call)).isEqualTo(call.summary()).doesNotContain("a text");
    }

    @Test
    void wrapperOfAnotherThreadIsLeftOut() {
        Throwable wrapped = new CompletionException(new ExecutionException(call));
        assertThat(HostCallbacks.describe(wrapped))
                .startsWith(call.summary())
                .doesNotContain("CompletionException")
                .doesNotContain("CsiCallException");
        assertThat(HostCallbacks.describe(new CompletionException("alone", null)))
                .contains("CompletionException");
    }
}
