package io.csi4j.replication.ratis.internal.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.replication.ratis.internal.machine.LogEntry.Kind;
import io.csi4j.replication.ratis.internal.machine.LogEntry.UnknownEntryException;
import java.nio.ByteBuffer;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class LogEntryTest {
    private static byte[] encoded(Kind kind) {
        return new LogEntry(kind, 1, 2, 3, ByteString.copyFromUtf8("x"))
                .encode()
                .toByteArray();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void decodedEntryEqualsOriginalEntry(Kind kind) {
        LogEntry entry = new LogEntry(kind, -1, Long.MAX_VALUE, 7, ByteString.copyFromUtf8("content"));
        assertThat(LogEntry.decode(ByteBuffer.wrap(entry.encode().toByteArray())))
                .isEqualTo(entry);
    }

    @Test
    void encodedEntryHasExpectedBytes() {
        assertThat(encoded(Kind.COMMAND))
                .asHexString()
                .isEqualTo("0101" + "0000000000000001" + "0000000000000002" + "0000000000000003" + "78");
    }

    @Test
    void entryInNewerFormatIsRefused() {
        byte[] newer = encoded(Kind.COMMAND);
        newer[0] = 2;
        assertThatThrownBy(() -> LogEntry.decode(ByteBuffer.wrap(newer)))
                .isInstanceOf(UnknownEntryException.class)
                .hasMessageContaining("its format is 2");
    }

    @Test
    void entryOfUnknownTypeIsRefused() {
        byte[] newer = encoded(Kind.COMMAND);
        newer[1] = 9;
        assertThatThrownBy(() -> LogEntry.decode(ByteBuffer.wrap(newer)))
                .isInstanceOf(UnknownEntryException.class)
                .hasMessageContaining("its kind is 9");
    }

    @Test
    void entryWithTruncatedHeaderIsRefused() {
        assertThatThrownBy(() -> LogEntry.decode(ByteBuffer.wrap(new byte[3])))
                .isInstanceOf(UnknownEntryException.class);
    }
}
