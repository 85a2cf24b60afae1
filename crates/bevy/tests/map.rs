//! Buildings.

use crate::common::*;
use bevy_wheelbase::prelude::*;
use bevy_wheelbase::sim::EventKind;

#[test]
fn a_building_is_a_message_with_its_area() {
    let mut app = app(WheelbasePlugin::new(field(16, 8, vec![tank(3, 2)])));
    let kind = wheelbase(&app).grid().terrain_table().kind_of_name(BUILDING).unwrap();
    let area = CellRect::new(8, 3, 2, 2);
    let ticket = order(&mut app, move |orders| orders.build(area, kind));
    app.update();
    let revision = wheelbase(&app).grid().revision();
    let seen = app.world().resource::<Seen>();
    assert_eq!(seen.edits, [EditMessage { ticket: Some(ticket), kind: EventKind::EditDone, area }]);
    assert_eq!(seen.maps.last(), Some(&MapChanged { area, revision }));
}

#[test]
fn a_building_that_waits_can_be_cancelled_even_after_a_load() {
    let mut app = app(WheelbasePlugin::new(field(16, 8, vec![tank(3, 2)])));
    let kind = wheelbase(&app).grid().terrain_table().kind_of_name(BUILDING).unwrap();
    let under_the_tank = CellRect::new(2, 2, 2, 1);
    order(&mut app, |orders| orders.of(AgentId(0)).hold().ticket());
    app.update();
    let ticket = order(&mut app, move |orders| orders.build(under_the_tank, kind));
    app.update();
    assert_eq!(wheelbase(&app).edits_pending(), 1);
    let saved = wheelbase(&app).save().unwrap();
    app.world_mut().resource_mut::<Wheelbase>().load(&saved, Default::default()).unwrap();
    order(&mut app, move |orders| orders.cancel(ticket));
    app.update();
    assert_eq!(wheelbase(&app).edits_pending(), 0);
    let kinds = app.world().resource::<Seen>().edits.iter().map(|edit| (edit.kind, edit.ticket));
    let expected = [EventKind::EditWaits, EventKind::EditCancelled].map(|kind| (kind, Some(ticket)));
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
    // A second time there is none.
    order(&mut app, move |orders| orders.cancel(ticket));
    app.update();
    let refused = messages(&app)
        .iter()
        .filter(|message| matches!(message, UnitMessage::Refused { reason: RefusalReason::NoSuchEdit, .. }));
    assert_eq!(refused.count(), 1);
}
