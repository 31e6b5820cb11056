package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.access.AccessTokenSecret;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.spi.AccessTokenEvent;
import io.csi4j.core.spi.EventListener;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The traces that a change of a token leaves for the host and for operators. */
class AccessTokenEventsTest {
    private final List<String> lines = new ArrayList<>();
    private final Logger log = Logger.getLogger(AccessTokens.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            assertThat(line.getLevel()).isEqualTo(Level.INFO);
            lines.add(line.getMessage());
        }

        @Override
        public void flush() {
            // Nothing is buffered.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };
    private final List<AccessTokenEvent> events = new ArrayList<>();
    private final VolumeRig rig = VolumeRig.started();

    private AccessTokens tokens() {
        rig.listener = new EventListener() {
            @Override
            public void accessTokenChanged(AccessTokenEvent event) {
                events.add(event);
            }
        };
        return rig.follower().as(() -> "ro\not").accessTokens();
    }

    @BeforeEach
    void addHandler() {
        log.addHandler(handler);
    }

    @AfterEach
    void removeHandler() {
        log.removeHandler(handler);
    }

    @Test
    void creationAndRevocationAreEventsAndLinesWithTheirCaller() {
        AccessTokens tokens = tokens();
        AccessTokenRequest request = AccessTokenRequest.of("ann", List.of("team-a", "reader"));
        NewAccessToken created = rig.done(tokens.create(request));
        AccessToken token = created.token();
        rig.done(tokens.revoke(token.id()));
        assertThat(events)
                .extracting(
                        AccessTokenEvent::token,
                        AccessTokenEvent::request,
                        AccessTokenEvent::change,
                        AccessTokenEvent::at)
                .containsExactly(
                        tuple(token.id(), request, AccessTokenEvent.Change.CREATED, rig.now()),
                        tuple(token.id(), request, AccessTokenEvent.Change.REVOKED, rig.now()));
        assertThat(events.get(1).index()).isGreaterThan(events.get(0).index());
        assertThat(lines)
                .containsExactly(
                        "Caller ro\\not has created the access token " + token.id()
                                + ", named ann, with the policies reader, team-a",
                        "Caller ro\\not has revoked the access token " + token.id()
                                + ", named ann, with the policies reader, team-a");
        String random = created.secret().text().substring(23);
        assertThat(events + " " + lines).doesNotContain(random, token.hash().toString());
    }

    @Test
    void firstTokenIsOneEventAlsoIfItIsMadeAgain() {
        AccessTokens tokens = tokens();
        AccessTokenSecret secret = AccessTokenSecret.generate();
        rig.done(tokens.createFirst("first", secret));
        rig.done(tokens.createFirst("first", secret));
        assertThat(events).hasSize(1);
        assertThat(lines.get(0)).endsWith("named first, which may do everything");
    }

    @Test
    void refusedChangesLeaveNoTrace() {
        AccessTokens tokens = tokens();
        rig.done(tokens.createFirst("first", AccessTokenSecret.generate()));
        events.clear();
        lines.clear();
        rig.failed(tokens.createFirst("first", AccessTokenSecret.generate()), RejectedException.class);
        rig.failed(tokens.create(AccessTokenRequest.of("", List.of())), CsiException.class);
        assertThat(events).isEmpty();
        assertThat(lines).isEmpty();
    }
}
