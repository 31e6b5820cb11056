package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import org.junit.jupiter.api.Test;

class FailureLogTest {
    @Test
    void failureTextNamesFailuresAndCodeLinesWithoutMessages() {
        Throwable reason = new CsiException(
                "password hunter2", new IllegalStateException("token 4711", new RuntimeException("device /dev/sda")));
        assertThat(FailureLog.text(reason))
                .contains("a CSI failure", IllegalStateException.class.getName(), "caused by")
                .contains("FailureLogTest.java")
                .doesNotContain("hunter2", "4711", "/dev/sda");
    }

    @Test
    void circularExceptionCauseChainIsTruncated() {
        Exception first = new IllegalStateException("a");
        Exception second = new IllegalArgumentException("b", first);
        first.initCause(second);
        assertThat(FailureLog.text(first).split("caused by")).hasSize(5);
    }
}
