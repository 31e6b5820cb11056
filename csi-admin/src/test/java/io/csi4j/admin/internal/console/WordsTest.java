package io.csi4j.admin.internal.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.admin.AdminHistory;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.spi.ClaimEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WordsTest {
    private static final VolumeKey VOLUME = VolumeKey.of("default", "v");

    private static ClaimEvent claim(VolumeKey volume, int number) {
        return new ClaimEvent(
                volume,
                AllocationId.of("a" + number),
                ClaimEvent.Change.TAKEN,
                number,
                Instant.EPOCH.plusSeconds(number));
    }

    private static CallEvent call(StatusCode code, int number) {
        return new CallEvent(
                Rpc.CREATE_VOLUME,
                PluginId.of("p"),
                NodeId.of("n"),
                Optional.of(VOLUME),
                code,
                number,
                Duration.ofSeconds(1),
                Duration.ZERO,
                Instant.EPOCH.plusSeconds(number));
    }

    @Test
    void durationIsShownWithAtMostTwoTimeUnits() {
        assertThat(List.of(0, 5, 1500, 59_000, 61_000, 3_700_000, 90_000_000).stream()
                        .map(millis -> Words.duration(Duration.ofMillis(millis))))
                .containsExactly("less than 1 ms", "5 ms", "1.5 s", "59 s", "1 min 1 s", "1 h 1 min", "1 d 1 h");
        assertThat(Words.duration(Duration.ofSeconds(-3))).isEqualTo("less than 1 ms");
    }

    @Test
    void sizeIsShownInBinaryUnits() {
        assertThat(Words.bytes(512)).isEqualTo("512 B");
        assertThat(Words.bytes(1536)).isEqualTo("1.5 KiB");
        assertThat(Words.bytes(10L << 30)).isEqualTo("10 GiB");
        assertThat(Words.bytes(Long.MAX_VALUE)).isEqualTo("8 EiB");
    }

    @Test
    void textAndAttributesAreHtmlEscaped() {
        Html html = new Html().element("a", "<&>\"'", "title", "\"><b>'&");
        assertThat(html).hasToString("<a title=\"&quot;&gt;&lt;b&gt;&#39;&amp;\">&lt;&amp;&gt;&quot;&#39;</a>");
    }

    @Test
    void historyKeepsOnlyNewestEventsUpToItsMaximumSize() {
        EventHistory history = new EventHistory(100);
        for (int i = 0; i < 1000; i++) {
            history.claimChanged(claim(i % 2 == 0 ? VOLUME : VolumeKey.of("default", "other"), i));
        }
        assertThat(history.of(VOLUME))
                .hasSize(50)
                .allSatisfy(event -> assertThat(event.at()).isAfter(Instant.EPOCH.plusSeconds(899)));
        assertThat(history.added()).isEqualTo(1000);
        assertThatIllegalArgumentException().isThrownBy(() -> AdminHistory.of(0));
    }

    @Test
    void historyListsLastFailedCallsWithNewestFailedCallFirst() {
        EventHistory history = new EventHistory(20_000);
        for (int i = 1; i <= 200; i++) {
            history.callFinished(call(i % 2 == 0 ? StatusCode.OK : StatusCode.INTERNAL, i));
        }
        assertThat(history.failures()).hasSize(50);
        assertThat(history.failures().get(0).attempt()).isEqualTo(199);
    }

    @Test
    void startOfCallIsDrawnBeforeEndOfCallInDiagram() {
        EventHistory history = new EventHistory(20_000);
        history.callFinished(call(StatusCode.INTERNAL, 10));
        history.claimChanged(claim(VOLUME, 9));
        Html html = new Html();
        SequenceDiagram.write(history.of(VOLUME), html);
        String svg = html.toString();
        assertThat(svg).contains("CreateVolume, attempt 10", "internal, 1.0 s", "class=\"arrow answer failed\"");
        assertThat(svg.indexOf("CreateVolume")).isLessThan(svg.indexOf("internal"));
        assertThat(svg).contains(">host<", ">server<", ">controller<");
    }

    @Test
    void longDiagramTextIsShortenedAndItsFullTextIsInSvgTitleElement() {
        EventHistory history = new EventHistory(20_000);
        String id = "an-allocation-with-a-very-long-id-that-does-not-fit";
        history.claimChanged(new ClaimEvent(VOLUME, AllocationId.of(id), ClaimEvent.Change.GRANTED, 1, Instant.EPOCH));
        Html html = new Html();
        SequenceDiagram.write(history.of(VOLUME), html);
        assertThat(html.toString())
                .contains("<title>granted to " + id + "</title>")
                .contains("…</text>");
    }
}
